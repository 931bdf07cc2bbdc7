/** What the phone draws stands where Yoga says: random trees, drawn and changed in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium, openPage } from "../testing/chromium.ts"
import { compareTrees } from "./testing/trees/compareTrees.ts"

const trees = 400

layer(Chromium.layer, { timeout: "3 minutes" })("the layout", (it) => {
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
})
