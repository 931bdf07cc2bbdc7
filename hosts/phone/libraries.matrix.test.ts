/** Screens made of the components that many open-source apps take from npm, each used as somebody would use it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { type App, openApp } from "./testing/App.ts"
const walks: Readonly<Record<string, (app: App) => Promise<void>>> = {
  paper: async ({ at, frame, tap }) => {
    await at("boat").fill("Skua")
    await frame.getByText("taken by Skua").waitFor()
    // As on a phone, the first tap beside a field only puts the keyboard away.
    await at("boat").blur()
    await tap("low")
    await frame.getByText("low water").waitFor()
    await tap("ask")
    await frame.getByText("Take berth 7?").waitFor()
    await tap("take")
    await frame.getByText("Take berth 7?").waitFor({ state: "detached" })
    await tap("services")
    await frame.getByText("Water and power").waitFor()
  },
  elements: async ({ at, frame, says, tap }) => {
    await at("mate").fill("Ada")
    await tap("hire")
    await frame.getByText("1", { exact: true }).waitFor()
    await frame.getByText("Starboard").click()
    await says("side", "green")
    await tap("tab-cargo")
    await frame.getByText("Forty crates of rope").waitFor()
  },
  calendar: async ({ says, tap }) => {
    await says("day", "2026-03-05")
    await tap("calendar.day_2026-03-17")
    await says("day", "2026-03-17")
  },
  chat: async ({ frame }) => {
    await frame.getByText("The tide turns at noon.").waitFor()
    const field = frame.getByPlaceholder("Type a message...")
    await field.fill("We sail at one.")
    // It moves above the keyboard.
    await frame.getByRole("button", { name: "send" }).click()
    await frame.getByText("We sail at one.").waitFor()
    assert.strictEqual(await field.inputValue(), "")
    assert.strictEqual(await frame.locator(".unknown").count(), 0)
    await field.blur()
  },
  carousel: async ({ drag, says }) => {
    await says("at", "Skiff is shown")
    await drag("carousel", { x: -300, y: 0 })
    await says("at", "Yawl is shown")
  },
  keyboard: async ({ at, comesTo, says, tap }) => {
    await says("state", "closed")
    await at("low-field").focus()
    await says("state", "open, 291 points")
    await says("moves", "start 291, end 291")
    // The list has scrolled its field, of 40 points, to the top of the keyboard; the page has a margin of 8.
    await comesTo("low-field", "y", 8 + 844 - 291 - 40)
    await tap("dismiss")
    await says("state", "closed")
    await says("moves", "start 291, end 291, start 0, end 0")
  }
}

layer(Chromium.layer)("libraries", (it) => {
  it.effect("of components are drawn and used", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("libraries-2026")
      yield* Effect.promise(async () => {
        for (const [name, walk] of Object.entries(walks)) {
          await app.tap(`screen-${name}`)
          await walk(app)
        }
      })
    })
  )
})
