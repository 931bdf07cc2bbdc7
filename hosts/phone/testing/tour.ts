/** The tour of each component and each API of React Native, by `testID`. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator } from "playwright-core"
import { type App, boxOf, openApp, textOf } from "./App.ts"

/** Uses each component and API of React Native by `testID`, in a release bundle of this version. */
export const useTour = Effect.fnUntraced(function* (version: string) {
  const { app, page, turn } = yield* openApp(`tour-${version}`)
  const walks = version.endsWith("-android") ? { ...tourWalks, ...androidWalks } : tourWalks
  yield* Effect.promise(async () => {
    await app.tap("station-device")
    await app.says("window", "window 390×844 turns 0")
    await turn()
    await app.says("window", "window 844×390 turns 1")
    await turn()
    await app.says("window", "window 390×844 turns 2")
    await app.says("scheme", "scheme light changes 0")
    await page.emulateMedia({ colorScheme: "dark" })
    await app.says("scheme", "scheme dark changes 1")
    await page.emulateMedia({ colorScheme: "light" })
    await app.says("scheme", "scheme light changes 2")
    await app.tap("back")
    for (const [station, walk] of Object.entries(walks)) {
      await app.tap(`station-${station}`)
      await app.at(`at-${station}`).waitFor()
      await walk(app)
      await app.tap("back")
      // A keyboard doesn't outlive its screen.
      await app.frame.getByRole("button", { name: "Close the keyboard" }).waitFor({ state: "detached" })
    }
  })
})

const opacityOf = (part: Locator) => part.evaluate((element) => Number(getComputedStyle(element).opacity))

/** The events of React Native in order, with anything between them. */
const inOrder = (text: string, ...names: ReadonlyArray<string>): void => {
  let from = 0
  for (const name of names) {
    const at = text.indexOf(name, from)
    assert.isAtLeast(at, from, `${name} after ${text.slice(0, from)} in: ${text}`)
    from = at + name.length
  }
}

/** Walks through the stations of the tour that are of the device, and not of a component. */
const deviceWalks: Readonly<Record<string, (app: App) => Promise<void>>> = {
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

/** The stations at which Android differs. */
const androidWalks: Readonly<Record<string, (app: App) => Promise<void>>> = {
  device: async ({ at, says, tap }) => {
    await says("platform", "android number robot")
    await says("scale", "scale agrees font 1")
    await says("state", "active ltr reader false initial null")
    for (const [testID, text] of [
      ["open-url", "opened"],
      ["can-open", "can"],
      ["vibrate", "vibrated"],
      ["announce", "announced"],
      ["share", "sharedAction"]
    ] as const) {
      await tap(testID)
      await at("answer").filter({ hasText: text }).waitFor()
    }
  },

  dialogs: async ({ frame, says, tap }) => {
    await tap("alert")
    await frame.getByText("With one button").waitFor()
    await frame.getByRole("button", { name: "OK" }).click()
    await tap("confirm")
    await frame.getByRole("button", { name: "Cast off" }).click()
    await says("answer", "answer cast off")
  },

  keyboard: async ({ at, frame, page }) => {
    await at("message").click()
    await frame.locator('[data-key="Q"]').waitFor()
    await page.keyboard.type("Ah")
    await frame.getByRole("button", { name: "Android Back" }).click()
    assert.strictEqual(await at("message").inputValue(), "Ah")
    await at("events")
      .filter({ hasText: /keyboardDidShow.*keyboardDidHide/ })
      .waitFor()
  }
}

/** A walk through each station of the tour: taps, types, drags and scrolls what is there, and sees what comes of it. */
const tourWalks: Readonly<Record<string, (app: App) => Promise<void>>> = {
  view: async (app) => {
    const { at, says, tap } = app
    const [one, three] = [await boxOf(at("flex-1")), await boxOf(at("flex-3"))]
    assert.closeTo(three.width / one.width, 3, 0.05)
    const aspect = await boxOf(at("aspect"))
    assert.closeTo(aspect.width / aspect.height, 3, 0.1)
    assert.isFalse(await at("gone").isVisible())
    await says("layout", "layout 120×40")
    await tap("widen")
    await says("layout", "layout 240×40")
    await tap("measure")
    await says("measured", "measured 0,240,40,16,16")
    await at("below").click({ position: { x: 60, y: 45 } })
    await says("touched", "touched below")
    await tap("responder")
    await says("touched", "touched released")
  },

  text: async ({ at, says, tap }) => {
    await tap("word")
    await says("pressed", "pressed word")
    await tap("line")
    await says("pressed", "pressed line")
    const [one, two] = [await boxOf(at("one-tail")), await boxOf(at("two"))]
    // Android has room above the first line and below the last.
    assert.closeTo(two.height / one.height, 2, 0.2)
    assert.strictEqual((await boxOf(at("high"))).height, 40)
    assert.strictEqual(await at("upper").innerText(), "UPPER CASE")
    await says("lines", "lines 3")
    await says("box", "box 358×60")
  },

  image: async ({ at, says, tap }) => {
    await says("resolved", "asset 48×40")
    const { height, width } = await boxOf(at("asset"))
    assert.deepStrictEqual([width, height], [48, 40])
    await at("loaded")
      .filter({ hasText: /loaded (?:48×40|96×80|144×120)/ })
      .waitFor()
    await says("failed", "failed told")
    await tap("get-size")
    await says("size", "size 2×2")
  },

  list: async ({ at, page, says, tap }) => {
    await says("first", "first 0")
    await tap("row-3")
    await says("pressed", "pressed Row 3")
    await tap("far")
    await tap("row-7002")
    await says("pressed", "pressed Row 7002")
    await tap("end")
    await at("footer").waitFor()
    await at("row-9999").hover()
    await page.mouse.wheel(0, -440)
    await at("row-9985").waitFor()
  },

  sections: async ({ at, comesTo, page, tap }) => {
    const list = await boxOf(at("list"))
    await at("item-0.1").hover()
    await page.mouse.wheel(0, 900)
    await at("item-0.25").waitFor()
    await comesTo("header-Section 0", "y", list.y)
    await tap("section-1")
    await at("item-1.0").waitFor()
  },

  scroll: async (app) => {
    const { at, comesTo, drag, page, says, tap } = app
    await tap("to-600")
    await at("offset")
      .filter({ hasText: /y (?:600|5\d\d) / })
      .waitFor()
    await tap("smooth")
    await at("offset").filter({ hasText: "y 0 " }).waitFor()
    const scroll = await boxOf(at("scroll"))
    await at("sticky").hover()
    await page.mouse.wheel(0, 300)
    await at("offset")
      .filter({ hasText: /y 300 / })
      .waitFor()
    await comesTo("sticky", "y", scroll.y + 10)
    await tap("smooth")
    await at("offset").filter({ hasText: "y 0 " }).waitFor()
    await at("across").hover()
    await page.mouse.wheel(120, 0)
    await at("offset").filter({ hasText: /x 120/ }).waitFor()
    // Beyond the middle of a page, so that it doesn't depend on the speed of the drag.
    await drag("pages", { x: -140, y: 0 })
    await at("offset")
      .filter({ hasText: /page 1/ })
      .waitFor()
    await drag("sticky", { x: 0, y: 200 })
    await says("refreshes", "refreshes 1")
    inOrder(await textOf(app, "phases"), "drag", "dropped", "rest")
  },

  input: async ({ at, page, says, tap }) => {
    await at("name").click()
    await says("focus", "focus name")
    await page.keyboard.type("gull")
    await says("name-said", "name GULL")
    assert.strictEqual(await at("name").inputValue(), "GULL")
    await says("keys", "keys gull")
    await page.keyboard.press("Enter")
    await says("sent", "sent GULL")
    await says("focus", "focus digits")
    await page.keyboard.type("1a2b345678")
    await says("digits-said", "digits 1234")
    assert.strictEqual(await at("plain").inputValue(), "as it was")
    await tap("clear")
    assert.strictEqual(await at("plain").inputValue(), "")
    await tap("focus-plain")
    await page.keyboard.type("new")
    assert.strictEqual(await at("plain").inputValue(), "new")
    await tap("select")
    await says("selection", "selection 0–6")
    assert.strictEqual(await at("secret").getAttribute("type"), "password")
    const before = (await boxOf(at("note"))).height
    await at("note").click()
    await page.keyboard.type("one\ntwo\nthree\nfour\nfive")
    await says("note-said", "note 5 lines")
    assert.isAbove((await boxOf(at("note"))).height, before)
    await says("grown", "height known")
    assert.isFalse(await at("fixed").isEditable())
    assert.strictEqual(await at("kind-email-address").getAttribute("inputmode"), "email")
  },

  press: async (app) => {
    const { at, page, says, tap } = app
    await tap("pressable")
    await says("events", "events in press out")
    const { height, width, x, y } = await boxOf(at("pressable"))
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await at("pressable").filter({ hasText: "down" }).waitFor()
    await at("events").filter({ hasText: /long/ }).waitFor()
    await page.mouse.up()
    await at("pressable").filter({ hasText: "up" }).waitFor()
    await at("disabled").click({ force: true })
    const slop = await boxOf(at("slop"))
    await page.mouse.click(slop.x - 14, slop.y + 4)
    await at("counts").filter({ hasText: `"slop":1` }).waitFor()
    await tap("inner")
    for (const name of ["opacity", "highlight", "without", "button"]) await tap(name)
    await at("button-off").click({ force: true })
    await at("counts").filter({ hasText: `"button":1` }).waitFor()
    const counts = JSON.parse(await textOf(app, "counts"))
    assert.deepStrictEqual(counts, { slop: 1, inner: 1, opacity: 1, highlight: 1, without: 1, button: 1 })
  },

  controls: async ({ at, frame, says, tap }) => {
    assert.isTrue(await frame.getByRole("switch", { name: "Lamp" }).isChecked())
    await tap("switch")
    await says("on", "on false")
    assert.isFalse(await frame.getByRole("switch", { name: "Lamp" }).isChecked())
    await at("switch-off").click({ force: true })
    await tap("switch-stubborn")
    await says("tries", "tries 1")
    assert.isTrue(await at("busy").isVisible())
    await tap("stop")
    await at("busy").locator("*").waitFor({ state: "hidden" })
  },

  dialogs: async ({ at, frame, page, says, tap }) => {
    await tap("alert")
    await frame.getByText("With one button").waitFor()
    await frame.getByRole("button", { name: "OK" }).click()
    await frame.getByText("With one button").waitFor({ state: "detached" })
    await tap("confirm")
    await frame.getByRole("button", { name: "Cast off" }).click()
    await says("answer", "answer cast off")
    await tap("prompt")
    await frame.getByRole("textbox").last().fill("Tern")
    await frame.getByRole("button", { name: "OK" }).click()
    await says("answer", "answer boat Tern")
    await tap("sheet")
    await frame.getByRole("button", { name: "North" }).click()
    await says("answer", "answer berth 1")
    for (const animation of ["none", "slide", "fade"]) {
      await tap(`modal-${animation}`)
      await at("dialog").waitFor()
      await at("typed-in").click()
      await page.keyboard.type("ahoy")
      await tap("close")
      await at("dialog").waitFor({ state: "detached" })
    }
    await says("typed", "typed ahoy")
    await says("shows", "shows 3 dismissals 3")
  },

  keyboard: async (app) => {
    const { at, comesTo, frame, page } = app
    const before = (await boxOf(at("message"))).y
    // The offset by which the app is wrong about its position: its bar has the font's height.
    const over = 90 - ((await boxOf(at("at-keyboard"))).y - (await boxOf(page.locator("iframe"))).y)
    await at("message").click()
    await at("events").filter({ hasText: "keyboardDidShow" }).waitFor()
    await comesTo("message", "y", before - 291 - over)
    // The first letter of a person's own keyboard ends Shift, as a key that is drawn does.
    await frame.locator('[data-key="Q"]').waitFor()
    await page.keyboard.type("A")
    await frame.locator('[data-key="q"]').waitFor()
    for (const key of ["Backspace", "Shift", "a", "h", "Backspace", "h"])
      await frame.locator(`[data-key="${key}" i]`).click()
    await frame.getByRole("button", { name: "Close the keyboard" }).click()
    assert.strictEqual(await at("message").inputValue(), "Ah")
    // The keyboard of the station before may still be on its way out at first.
    await at("events")
      .filter({ hasText: /keyboardWillShow.*keyboardDidShow.*keyboardWillHide.*keyboardDidHide/ })
      .waitFor()
    // Older versions keep what the offset was too large by.
    await comesTo("message", "y", before, 1 + Math.abs(over))
    await at("message").click()
    await frame.getByRole("button", { name: "Close the keyboard" }).waitFor()
  },

  animated: async ({ at, comesTo, page, says, tap }) => {
    const places = async () =>
      Promise.all(["native", "plain", "spring"].map(async (name) => (await boxOf(at(`box-${name}`))).x))
    const before = await places()
    assert.closeTo(await opacityOf(at("box-native")), 0.3, 0.01)
    await tap("start")
    for (const name of ["native", "plain", "spring", "sequence"])
      await at("finished").filter({ hasText: name }).waitFor()
    for (const [index, x] of (await places()).entries()) assert.closeTo(x - before[index]!, 200, 1)
    assert.closeTo(await opacityOf(at("box-native")), 1, 0.01)
    assert.closeTo((await boxOf(at("box-width"))).width, 120, 1)
    await tap("loop")
    // It never rests on its way from 0 to 200: anywhere between will do.
    await comesTo("box-loop", "x", before[0]! + 100, 80)
    await tap("halt")
    const halted = (await boxOf(at("box-loop"))).x
    await tap("grow")
    await says("grown-1", "row 1")
    assert.strictEqual((await boxOf(at("box-loop"))).x, halted)
    await at("driver").hover()
    const followed = (await boxOf(at("followed"))).x
    await page.mouse.wheel(0, 100)
    await comesTo("followed", "x", followed + 50)
  },

  pan: async ({ at, comesTo, drag, page, says }) => {
    const before = await boxOf(at("dragged"))
    await drag("dragged", { x: 60, y: 80 })
    await says("moved", "moved 60,80")
    await says("fingers", "fingers 1")
    await says("phases", "phases grant release back")
    const screen = await boxOf(page.locator("iframe"))
    const [left, top] = [before.x - screen.x, before.y - screen.y]
    // Beyond two edges of the screen, and beyond the two others.
    for (const [x, y] of [
      [-left - 60, -top - 90],
      [screen.width - left, screen.height - top]
    ] as const) {
      await comesTo("dragged", "x", before.x)
      await comesTo("dragged", "y", before.y)
      await drag("dragged", { x, y })
      await says("moved", `moved ${Math.round(x)},${Math.round(y)}`)
      await says("phases", "phases grant release back")
    }
    await comesTo("dragged", "x", before.x)
    await comesTo("dragged", "y", before.y)
  },

  ...deviceWalks
}
