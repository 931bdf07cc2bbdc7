/** What the phone draws stands where Yoga says, and the browser has little to lay out for it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium, openPage } from "./testing/chromium.ts"
import { compareTrees, loadProgram } from "./testing/compareTrees.ts"
const trees = 400

layer(Chromium.layer)("the layout", (it) => {
  it.effect("of random trees is Yoga's own, text included, and stays so when they change", () =>
    Effect.gen(function* () {
      const { page } = yield* openPage
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 390, height: 844 })
        const { changed, drawn } = await compareTrees(page, trees)
        for (const { nodes, off, texts } of [drawn, changed]) {
          assert.isAbove(nodes, 3000)
          assert.isAbove(texts, 500)
          assert.deepStrictEqual(off, [])
        }
      })
    })
  )

  it.effect("asks the browser once for the sizes of all texts of a commit", () =>
    Effect.gen(function* () {
      const { context, page } = yield* openPage
      yield* Effect.promise(async () => {
        await loadProgram(page, "drawnTrees.ts")
        const session = await context.newCDPSession(page)
        await session.send("Performance.enable")
        const layouts = async () => {
          const { metrics } = await session.send("Performance.getMetrics")
          return metrics.find(({ name }) => name === "LayoutCount")?.value ?? Number.NaN
        }
        const before = await layouts()
        await page.evaluate(() => Reflect.get(globalThis, "drawRows")(200))
        // The browser lays the page out for each of its frames as well.
        assert.isBelow((await layouts()) - before, 50)
        assert.strictEqual(await page.getByText("Row 199").isVisible(), true)
      })
    })
  )

  it.effect("has the designs of iOS's font by the names of CSS", () =>
    Effect.gen(function* () {
      const { page } = yield* openPage
      yield* Effect.promise(async () => {
        await loadProgram(page, "drawnTrees.ts")
        const drawn = async (fontFamily: string) => {
          await page.evaluate(
            (family) => Reflect.get(globalThis, "drawEach")("Text", [{ fontFamily: family }]),
            fontFamily
          )
          return page.locator(".text").evaluate((element) => getComputedStyle(element).fontFamily)
        }
        const system = await drawn("System")
        assert.deepStrictEqual(await drawn("ui-sans-serif"), system)
        assert.deepStrictEqual(await drawn("ui-rounded"), `ui-rounded, ${system}`)
        assert.deepStrictEqual(await drawn("ui-serif"), "ui-serif, serif")
        assert.deepStrictEqual(await drawn("ui-monospace"), "ui-monospace, monospace")
      })
    })
  )

  it.effect("has a line in the console for a file of the app that is absent, and one only", () =>
    Effect.gen(function* () {
      const { page } = yield* openPage
      yield* Effect.promise(async () => {
        await loadProgram(page, "drawnTrees.ts")
        const lines: Array<string> = []
        page.on("console", (message) => {
          if (message.type() === "info") lines.push(message.text())
        })
        const last = page.waitForEvent("console", (message) => /shoal.png could not/.test(message.text()))
        await page.evaluate(() => {
          const sources = ["deep%20sea", "deep%20sea", "shoal"].map((name) => ({
            source: { uri: `file:///app/assets/${name}.png` }
          }))
          Reflect.get(globalThis, "drawEach")("ImageView", sources)
        })
        await last
        assert.deepStrictEqual(
          lines,
          ["deep sea", "shoal"].map(
            (name) => `The app’s file assets/${name}.png could not be loaded. Is it in the upload, at this path?`
          )
        )
      })
    })
  )
})
