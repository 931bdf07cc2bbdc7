import { assert } from "@effect/vitest"
import { boxOf, textOf, type App } from "./App.ts"

/** Walks through the stations of the tour that are of the device, and not of a component. */
export const deviceWalks: Readonly<Record<string, (app: App) => Promise<void>>> = {
  device: async ({ at, frame, says, tap }) => {
    await says("platform", "ios string apple")
    await says("scale", "scale agrees font 1")
    await says("state", "active ltr reader false initial null")
    await at("scheme").filter({ hasText: "scheme light" }).waitFor()
    await tap("dark")
    await at("scheme").filter({ hasText: "scheme dark" }).waitFor()
    for (const [testID, text] of [
      ["open-url", "opened"],
      ["can-open", "can"],
      ["vibrate", "vibrated"],
      ["announce", "announced"],
      ["settings", "berth 7"]
    ] as const) {
      await tap(testID)
      await at("answer").filter({ hasText: text }).waitFor()
    }
    await tap("share")
    await frame.getByRole("button", { name: "Share" }).last().click()
    await at("answer").filter({ hasText: "sharedAction" }).waitFor()
  },

  runtime: async (app) => {
    const { at, says, tap } = app
    await tap("run")
    await says("ticks", "ticks 3 frames 3 idle")
    for (const name of ["timeout", "immediate", "promise", "microtask", "interactions"]) {
      await at("order").filter({ hasText: name }).waitFor()
    }
    const order = await textOf(app, "order")
    assert.notInclude(order, "cancelled")
    assert.isBelow(order.indexOf("microtask"), order.indexOf("timeout"))
    await tap("fetch")
    await at("net").filter({ hasText: "refused" }).waitFor()
    await tap("request")
    await says("net", "request refused")
    await tap("log")
    await tap("throw")
    await tap("reject")
    await tap("run")
    await at("globals")
      .filter({ hasText: /^number function function/ })
      .waitFor()
  },

  roles: async ({ frame, says }) => {
    await frame.getByRole("heading", { name: "A heading" }).waitFor()
    const box = frame.getByRole("checkbox", { name: "Moored" })
    assert.isFalse(await box.isChecked())
    await box.click()
    assert.isTrue(await box.isChecked())
    assert.isTrue(await frame.getByRole("switch", { name: "Lamp" }).isChecked())
    await says("live", "moored")
    const more = frame.getByRole("button", { name: "More" })
    assert.strictEqual(await more.getAttribute("aria-expanded"), "false")
    await more.focus()
    await more.press("Enter")
    await frame.getByText("There is more").waitFor()
    assert.strictEqual(await more.getAttribute("aria-expanded"), "true")
    const depth = frame.getByRole("slider", { name: "Depth" })
    assert.strictEqual(await depth.getAttribute("aria-valuenow"), "3")
    assert.strictEqual(await depth.getAttribute("aria-valuetext"), "3 metres")
    await depth.press("ArrowUp")
    await says("depth", "depth 4")
    await frame.getByRole("img", { name: "A chart" }).waitFor()
    assert.strictEqual(await frame.getByRole("progressbar", { name: "Loading" }).getAttribute("aria-valuenow"), "40")
    assert.strictEqual(await frame.getByRole("link", { name: "Nowhere" }).getAttribute("aria-disabled"), "true")
    assert.strictEqual(
      await frame.getByText("not read out").evaluate((one) => one.closest("[aria-hidden=true]") === null),
      false
    )
  },

  "right-to-left": async ({ at }) => {
    const [row, ltr, rtl] = [await boxOf(at("row-ltr")), await boxOf(at("first-ltr")), await boxOf(at("first-rtl"))]
    assert.closeTo(ltr.x - row.x, 24, 0.5)
    assert.closeTo(row.x + row.width - (rtl.x + rtl.width), 24, 0.5)
  }
}
