/** What the phone draws stands where Yoga says, and the browser has little to lay out for it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium, openPage } from "./testing/chromium.ts"
import { compareTrees } from "./testing/trees/compareTrees.ts"
import { loadProgram } from "./testing/trees/inPage.ts"

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
        await loadProgram(page, "drawnRows.ts")
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
})
