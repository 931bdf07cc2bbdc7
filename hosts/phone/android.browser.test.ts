/** What only Android has, or does otherwise than iOS, in a release bundle for it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { boxOf, openApp, until } from "./testing/App.ts"
import { Chromium } from "./testing/chromium.ts"

const fixture = "android-0.86-libraries-android"

layer(Chromium.layer)("an app for Android", (it) => {
  it.effect("has the system, the components and the Back button of Android", () =>
    Effect.gen(function* () {
      const { app, complaints, page } = yield* openApp(fixture)
      const { at, drag, frame, says, tap } = app
      const back = frame.getByRole("button", { name: "Android Back" })
      yield* Effect.promise(async () => {
        await says("system", "android 35 15")
        assert.include(await at("card").evaluate((one) => getComputedStyle(one).boxShadow), "6px")
        assert.strictEqual(await at("medium").evaluate((one) => getComputedStyle(one).fontWeight), "500")
        await tap("feedback")
        await says("said", "pressed")
        const { x, y } = await boxOf(at("ripple"))
        await page.mouse.move(x + 8, y + 8)
        await page.mouse.down()
        await at("ripple").locator(".ripple").waitFor()
        await page.mouse.up()
        await at("ripple").locator(".ripple").waitFor({ state: "detached" })
        await tap("switch")
        await at("switch")
          .and(frame.getByRole("switch", { checked: false }))
          .waitFor()
        await drag("said", { x: 0, y: 200 })
        await says("refreshes", "refreshes 1")

        await back.click()
        await says("said", "back")
        await tap("feedback")
        await says("said", "pressed")
        await frame.evaluate(() => Reflect.get(globalThis, "flow").perform({ name: "back", value: undefined }))
        await says("said", "back")
        for (const [answer, expected] of [
          ["Later", "later"],
          ["No", "no"],
          ["Yes", "yes"]
        ] as const) {
          await tap("alert")
          await frame.getByRole("button", { name: answer }).click()
          await says("said", expected)
        }
        await tap("alert")
        await back.click()
        await says("said", "dismissed")
        await tap("open-drawer")
        await says("said", "drawer open")
        await back.click()
        await says("said", "drawer closed")
        await tap("open-modal")
        await at("in-modal").waitFor()
        await back.click()
        await at("in-modal").waitFor({ state: "detached" })
        await at("field").click()
        await frame.locator('[data-key="q" i]').waitFor()
        await back.click()
        await frame.locator('[data-key="q" i]').waitFor({ state: "detached" })
        await tap("toast")
        await frame.getByRole("status").filter({ hasText: "Moored" }).waitFor()
        await tap("ask")
        await frame.getByRole("button", { name: "Allow", exact: true }).click()
        await frame.getByRole("button", { name: "Don’t Allow" }).click()
        await says("said", '["granted","denied"]')
        assert.deepStrictEqual(complaints, [])
      })
    })
  )

  it.effect("has the tabs, keyboards, pickers and sizes of Android", () =>
    Effect.gen(function* () {
      const { app, complaints, notes, turn } = yield* openApp(fixture)
      const { at, frame, says, tap } = app
      const back = frame.getByRole("button", { name: "Android Back" })
      const key = (name: string) => frame.locator(`[data-key="${name}" i]`)
      const press = (name: string) => frame.getByRole("button", { name, exact: true }).click()
      const station = async (name: string) => {
        await tap(name)
        return async () => tap("kitchen")
      }
      yield* Effect.promise(async () => {
        await tap("kitchen")

        let leave = await station("keyboards")
        for (const [field, keys] of [
          [0, { q: "q", Enter: "⇥" }],
          [1, { "@": "@", Enter: "➤" }],
          [2, { 9: "9", Enter: "✓" }],
          [3, { "#": "#", Enter: "→" }],
          [4, { "/": "/", Enter: "⌕" }],
          [5, { Enter: "↵" }],
          [6, { Enter: "Sail" }]
        ] as const) {
          await at(`field-${field}`).click()
          for (const [name, label] of Object.entries(keys))
            await key(name)
              .filter({ hasText: new RegExp(`^${RegExp.escape(label)}$`, "i") })
              .waitFor()
        }
        const height = await frame.evaluate(() => window.innerHeight)
        await at("events")
          .filter({ hasText: `keyboardDidShow 216 ${height - 216 - 48} 0` })
          .waitFor()
        await until(app, async () => {
          const end = await at("field-6").evaluate((one) => one.getBoundingClientRect().bottom)
          return end <= height - 264 ? undefined : `the field ends at ${end}, below the keyboard`
        })
        // Back closes the keyboard only: the field keeps the focus, and gets the keys back when it is pressed.
        await back.click()
        await key("q").waitFor({ state: "detached" })
        await at("events")
          .filter({ hasText: `keyboardDidHide 0 ${height} 0` })
          .waitFor()
        assert.isTrue(await at("field-6").evaluate((one) => one === document.activeElement))
        await at("field-6").click()
        await key("q").waitFor()
        await back.click()
        await leave()

        const edge = async () => {
          const { height: tall, y } = await boxOf(at("page-end").last())
          return y + tall
        }
        for (const [name, isNative] of [
          ["native-tabs", true],
          ["bottom-tabs", true],
          ["js-tabs", false],
          ["material-tabs", false],
          ["top-tabs", false]
        ] as const) {
          leave = await station(name)
          const berths = frame.getByRole("tab", { name: /Berths/ })
          await berths.click()
          await at("page-Berths").waitFor()
          if (isNative) {
            assert.strictEqual(await berths.getAttribute("aria-selected"), "true")
            assert.strictEqual((await boxOf(berths)).height, 80)
            assert.isAtMost(await edge(), (await boxOf(berths)).y + (name === "native-tabs" ? 128 : 0))
          }
          await leave()
        }

        leave = await station("pickers")
        await tap("pick-time")
        await press("5")
        await press("25")
        await press("PM")
        await press("OK")
        await says("time", "2026-6-15 17:25")
        await tap("pick-time-24")
        await press("22")
        await press("50")
        await press("OK")
        await says("time", "2026-6-15 22:50")
        await tap("pick-date")
        await press("2026")
        await press("2025")
        await press("Next month")
        await press("31")
        await press("OK")
        await says("time", "2025-7-31 22:50")
        await tap("pick-spinner")
        await back.click()
        await says("time", "2025-7-31 22:50")
        for (const mode of ["dialog", "dropdown"] as const) {
          await at(mode).click()
          await press(mode === "dialog" ? "Ketch" : "Sloop")
          await says("rig", mode === "dialog" ? "a" : "b")
        }
        await leave()

        leave = await station("device")
        await says("sizes", "390 × 844 of 390 × 844 at 2.625")
        await says("insets", "24 0 48 0 light")
        await turn()
        await says("sizes", "844 × 390 of 844 × 390 at 2.625")
        await says("insets", "24 48 0 0 light")
        await turn()
        for (const [count, answer] of ["Yes", "No", "Later"].entries()) {
          await tap(`alert-${count + 1}`)
          await press(answer)
          await says("device-said", answer)
        }
        for (const [name, answer] of [
          ["share", "sharedAction"],
          ["link", "opened"],
          ["intent", "sent"],
          ["vibrate", "vibrated"]
        ] as const) {
          await tap(name)
          await says("device-said", answer)
        }
        await tap("modal")
        await at("sheet-field").click()
        await key("q").waitFor()
        // The keyboard first, then the modal.
        await back.click()
        await key("q").waitFor({ state: "detached" })
        await at("in-sheet").waitFor()
        await back.click()
        await says("device-said", "request close")
        assert.deepStrictEqual(
          (await notes()).filter(({ kind }: { readonly kind: string }) => kind === "missing"),
          []
        )
        assert.deepStrictEqual(complaints, [])
      })
    })
  )

  it.effect("has a window between the bars before 0.81, which the keyboard resizes", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp(fixture, (bundle) => bundle.replace(".minor=86", ".minor=80"))
      const { at, comesTo, frame, says, tap } = app
      yield* Effect.promise(async () => {
        await tap("kitchen")
        await tap("device")
        await says("sizes", "390 × 772 of 390 × 844 at 2.625")
        await tap("kitchen")
        await tap("keyboards")
        const before = await boxOf(at("field-6"))
        await at("field-6").click()
        await comesTo("field-6", "y", Math.round(before.y - 216))
        // The keys end at the navigation bar.
        const keys = await frame.locator(".keys").evaluate((one) => innerHeight - one.getBoundingClientRect().bottom)
        assert.strictEqual(keys, 48)
        await frame.getByRole("button", { name: "Android Back" }).click()
        await comesTo("field-6", "y", Math.round(before.y))
      })
    })
  )
})
