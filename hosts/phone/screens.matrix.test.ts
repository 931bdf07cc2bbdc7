/** Ten screens of the kinds that open-source apps are made of, each used as somebody would use it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type App, boxOf, openApp } from "./testing/App.ts"
import { Chromium } from "./testing/chromium.ts"

layer(Chromium.layer)("screens of apps", (it) => {
  it.effect("come up and are used", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("screens-0.86")
      yield* Effect.promise(async () => {
        for (const [name, walk] of Object.entries(screenWalks)) {
          await app.tap(`screen-${name}`)
          await walk(app)
          await app.tap("back")
        }
      })
    })
  )
})

/** What somebody does on each of the ten screens. */
const screenWalks: Readonly<Record<string, (app: App) => Promise<void>>> = {
  "sign-in": async ({ at, says, tap }) => {
    await tap("send")
    await says("said", "Enter an e-mail address")
    await at("mail").fill("ada@harbour.example")
    await at("password").fill("12345678")
    assert.strictEqual(await at("password").getAttribute("type"), "password")
    await tap("show")
    await tap("send")
    await says("said", "Welcome, ada@harbour.example")
  },
  onboarding: async ({ says, tap }) => {
    await says("page", "page 1")
    await tap("next")
    await says("page", "page 2")
    await tap("next")
    await says("page", "page 3")
  },
  tasks: async ({ at, page, says, tap }) => {
    await says("left", "0 left")
    await at("new").click()
    await page.keyboard.type("Paint")
    await page.keyboard.press("Enter")
    await says("title-2", "Paint")
    await says("left", "1 left")
    await at("new").blur()
    await tap("task-2")
    await says("left", "0 left")
    await tap("filter-open")
    await says("empty", "Nothing")
    await tap("filter-done")
    await tap("remove-0")
    await at("title-0").waitFor({ state: "detached" })
  },
  chat: async ({ at, page, says, tap }) => {
    const [newest, older] = [await boxOf(at("message-0")), await boxOf(at("message-1"))]
    assert.isAbove(newest.y, older.y)
    await at("text").click()
    await page.keyboard.type("Ahoy")
    await tap("send")
    await says("message-60", "Ahoy")
  },
  feed: async ({ at, page, says, tap }) => {
    await says("like-0", "♡ 0")
    await tap("like-0")
    await says("like-0", "♥ 1")
    await at("feed").hover()
    await page.mouse.wheel(0, 100_000)
    await at("like-39").waitFor({ state: "attached" })
  },
  shop: async ({ at, frame, says, tap }) => {
    await tap("good-1")
    await tap("good-1")
    await says("total", "€ 28.00")
    await tap("cart")
    await tap("more-1")
    await says("count-1", "3")
    await tap("buy")
    await frame.getByRole("button", { name: "Buy", exact: true }).last().click()
    await says("total", "€ 0.00")
    await at("buy").waitFor({ state: "detached" })
  },
  calendar: async ({ at, says, tap }) => {
    await says("month", "2026-02")
    await tap("after")
    await says("month", "2026-03")
    await tap("day-17")
    await says("On the 17.", "On the 17.")
    const [first, second] = [await boxOf(at("day-2")), await boxOf(at("day-9"))]
    assert.closeTo(first.x, second.x, 0.5)
  },
  calculator: async ({ says, tap }) => {
    for (const key of "7×8−6=") await tap(`key-${key}`)
    await says("display", "50")
    for (const key of ["C", "1", ".", "5", "±", "×", "2", "="]) await tap(`key-${key}`)
    await says("display", "-3")
  },
  player: async ({ at, drag, says, tap }) => {
    await tap("play")
    await at("record").evaluate(
      (record) =>
        new Promise<void>((resolve) => {
          const angle = () => getComputedStyle(record).transform
          const begun = angle()
          const look = () => (angle() === begun ? requestAnimationFrame(look) : resolve())
          look()
        })
    )
    await tap("play")
    await drag("bar", { x: 75, y: 0 })
    await says("at", "1:00")
  },
  weather: async ({ at, comesTo, page, says, tap }) => {
    const { width } = await boxOf(at("now"))
    await says("degrees", "14 °C")
    await at("weather").hover()
    await page.mouse.wheel(0, 200)
    await comesTo("now", "width", Math.round(width * 0.6))
    await tap("units")
    await says("degrees", "57 °F")
  }
}
