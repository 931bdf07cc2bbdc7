/** What the phone draws stands where Yoga says: random trees, drawn and changed in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { join } from "node:path"
import { Chromium, openPage } from "../testing/chromium.ts"

interface Counted {
  readonly nodes: number
  readonly wrong: number
  readonly first: string
}

declare global {
  var compareTrees: (trees: number) => Promise<{ readonly drawn: Counted; readonly changed: Counted }>
}

const trees = 400

layer(Chromium.layer, { timeout: "3 minutes" })("the layout", (it) => {
  it.effect("of random trees is Yoga's own, text included", () =>
    Effect.gen(function* () {
      const { outputFiles } = yield* Effect.promise(() =>
        build({
          entryPoints: [join(import.meta.dirname, "testing", "randomTrees.ts")],
          bundle: true,
          write: false,
          format: "iife",
          define: { "import.meta.url": '""' }
        })
      )
      const { page } = yield* openPage
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 390, height: 844 })
        await page.setContent("<!doctype html><meta charset=utf-8><body>")
        await page.evaluate(outputFiles[0]?.text ?? "")
        const { changed, drawn } = await page.evaluate((count) => globalThis.compareTrees(count), trees)
        assert.isAbove(drawn.nodes, 3000)
        assert.strictEqual(drawn.wrong, 0, drawn.first)
        assert.isAbove(changed.nodes, 3000)
        assert.strictEqual(changed.wrong, 0, changed.first)
      })
    })
  )
})
