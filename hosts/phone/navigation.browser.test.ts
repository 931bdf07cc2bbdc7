/** React Navigation, screens, safe area, svg, AsyncStorage and gesture-handler, from their published packages. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator } from "playwright-core"
import { Chromium } from "./testing/chromium.ts"
import { boxOf, openApp, until } from "./testing/App.ts"
layer(Chromium.layer)("an app that navigates", (it) => {
  const opened = openApp("navigation-0.86")

  it.effect("pushes, presents and pops screens of a native stack", () =>
    Effect.gen(function* () {
      const { app } = yield* opened
      const { at, frame, says, tap } = app
      yield* Effect.promise(async () => {
        await tap("berth-2")
        await says("berth-title-2", "Berth 2")
        await says("focuses-2", "focused 1")
        await frame.getByText("Edit", { exact: true }).waitFor()
        await tap("next-2")
        await says("berth-title-3", "Berth 3")
        await tap("rename-3")
        await frame.getByText("Renamed", { exact: true }).waitFor()
        await tap("sheet-3")
        await says("sheet", "On top of the others")
        await tap("sheet-back")
        await at("sheet").waitFor({ state: "detached" })
        await tap("bare-3")
        await at("sheet").waitFor()
        await tap("sheet-back")
        await frame.getByRole("button", { name: "Back" }).filter({ visible: true }).last().click()
        await says("focuses-2", "focused 2")
        await tap("top-2")
        await at("berth-title-2").waitFor({ state: "detached" })
        await at("berth-2").waitFor()
      })
    })
  )

  it.effect("drags a sheet down and a pushed screen from the left edge", () =>
    Effect.gen(function* () {
      const { app } = yield* opened
      const { at, drag, frame, page, tap } = app
      yield* Effect.promise(async () => {
        await tap("berth-2")
        await tap("sheet-2")
        await at("sheet").waitFor()
        const card = frame.locator(".card")
        await until(app, async () =>
          (await boxOf(card)).y === (await boxOf(frame.locator(".phone"))).y + 10
            ? undefined
            : "the sheet is not below the top"
        )
        // Down and up again: it isn't thrown away.
        const text = await boxOf(at("sheet"))
        await page.mouse.move(text.x, text.y)
        await page.mouse.down()
        for (const moved of [50, 100, 60, 20]) await page.mouse.move(text.x, text.y + moved)
        await page.mouse.up()
        await until(app, async () =>
          (await boxOf(card)).y === (await boxOf(frame.locator(".phone"))).y + 10
            ? undefined
            : "the sheet has not come back"
        )
        await drag("sheet", { x: 0, y: 600 })
        await at("sheet").waitFor({ state: "detached" })
        const { y } = await boxOf(at("berth-title-2"))
        await page.mouse.move(10, y)
        await page.mouse.down()
        await page.mouse.move(150, y, { steps: 4 })
        await page.mouse.move(300, y, { steps: 4 })
        await page.mouse.up()
        await at("berth-title-2").waitFor({ state: "detached" })
        await tap("berth-2")
        await frame.getByRole("button", { name: "Back" }).filter({ visible: true }).click()
        await at("berth-title-2").waitFor({ state: "detached" })
      })
    })
  )

  it.effect("begins a list below a large title and a search bar, which leave when it is scrolled", () =>
    Effect.gen(function* () {
      const { app } = yield* opened
      const { at, frame, page, says, tap } = app
      const below = async (first: Locator, above: Locator) => {
        const [one, other] = [await boxOf(first), await boxOf(above)]
        return one.y >= other.y + other.height ? undefined : "the first row is covered"
      }
      yield* Effect.promise(async () => {
        await tap("berth-2")
        await tap("fleet-2")
        const title = frame.getByText("The fleet", { exact: true }).last()
        const search = frame.getByPlaceholder("Find a boat")
        await title.waitFor()
        assert.strictEqual(await title.evaluate((drawn) => getComputedStyle(drawn).fontSize), "34px")
        await until(app, () => below(search, title))
        await until(app, () => below(at("searched"), search))
        await search.fill("12")
        await says("searched", "searched 12")
        await at("boat-13").waitFor({ state: "detached" })
        await frame.getByRole("button", { name: "Cancel" }).click()
        await frame.getByRole("button", { name: "Add" }).click()
        await says("searched", "searched added")
        const first = await boxOf(at("searched"))
        await at("boat-1").hover()
        await page.mouse.wheel(0, 60)
        const heading = frame.getByRole("heading", { name: "The fleet" })
        await until(app, async () =>
          (await heading.evaluate((drawn) => getComputedStyle(drawn).opacity)) === "1"
            ? undefined
            : "the title is not small"
        )
        await page.mouse.wheel(0, -60)
        await until(app, async () =>
          (await boxOf(at("searched"))).y === first.y ? undefined : "the first row is not where it was"
        )
        await frame.getByRole("button", { name: "Back" }).filter({ visible: true }).last().click()
        await tap("top-2")
      })
    })
  )

  it.effect("has tabs, a drawing, a store and gestures", () =>
    Effect.gen(function* () {
      const { app } = yield* opened
      const { at, comesTo, drag, says, tap } = app
      yield* Effect.promise(async () => {
        await tap("tab-Chart")
        await says("frame", "frame known")
        await at("insets")
          .filter({ hasText: /insets \d+ \d+ \d+ \d+/ })
          .waitFor()
        await tap("sun")
        await says("chart-pressed", "pressed the sun")
        const sun = await at("sun").evaluate((one) => getComputedStyle(one).fill)
        assert.match(sun, /^url\(/)

        await tap("tab-Notes")
        await says("stored", "0 stored: nothing")
        await at("note").fill("fenders")
        await tap("store")
        await says("stored", "1 stored: fenders")
        await tap("forget")
        await says("stored", "0 stored: nothing")

        await at("note").blur()
        await tap("tab-Gestures")
        await tap("area-tap")
        await says("gestures-said", "said tap")
        await at("area-double").dblclick()
        await says("gestures-said", "said tap twice")
        await tap("rect")
        await says("gestures-said", "said tap twice rect")
        await drag("area-pan", { x: 60, y: 20 })
        await says("gestures-said", "said twice rect begin pan end final")
        await says("gestures-moved", "moved 60,20")

        const { x } = await boxOf(at("moved-box"))
        await tap("move")
        await comesTo("moved-box", "x", x + 120)
      })
    })
  )
})
