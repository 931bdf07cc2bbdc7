/** Keeping in a real browser, on a phone and a desk, without a barrier that axe finds. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { readyPreview, registered } from "../../http/testing/previews.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { readyBuild } from "../../http/testing/uploads.ts"
import { violations } from "../testing/axe.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"

/** Looks at a page at every width: nothing sticks out of it, and axe finds no fault. */
const look = async (page: Page, name: string): Promise<void> => {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    const folder = process.env["SHOTS"]
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${width}.png` })
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), width, `${name} at ${width}`)
    assert.deepStrictEqual(await violations(page), [], `${name} at ${width}`)
  }
}

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("keeping in a browser", (it) => {
  it.effect(
    "a build, a preview and a run are kept from their pages, and released",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestHost
        const account = yield* newAccount(["builds", "preview_upload", "test_runs", "delete"])
        const { row } = yield* readyBuild(account)
        const { shareId } = yield* readyPreview(account, { owner: account.owner, repo: account.repo, branch: "main" })
        const run = yield* registered(account, shareId, { name: "Checkout pays with a saved card" })
        const { page } = yield* openSignedIn(account, `${url}/builds/${row.id}`)
        yield* Effect.promise(async () => {
          for (const [name, path] of [
            ["build", `/builds/${row.id}`],
            ["preview", `/previews/${shareId}`],
            ["run", `/runs/${run.id}`]
          ] as const) {
            await page.goto(url + path)
            await look(page, `${name}-before`)
            await page.getByRole("button", { name: "Keep" }).click()
            await page.getByRole("button", { name: "Release" }).waitFor()
            await look(page, `${name}-kept`)
            await page.getByRole("button", { name: "Release" }).click()
            await page.getByRole("button", { name: "Keep" }).waitFor()
          }
        })
      }),
    120_000
  )
})
