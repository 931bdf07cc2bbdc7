/** Deleting in a real browser: by whoever has no script, on a phone and a desk, without a barrier that axe finds. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { readyPreview, registered } from "../../http/testing/previews.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { readyBuild } from "../../http/testing/uploads.ts"
import { violations } from "../testing/axe.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"

const widths = [390, 1280]

/** Looks at a page at every width: nothing sticks out of it, and axe finds no fault. */
const look = async (page: Page, name: string): Promise<void> => {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    const folder = process.env["SHOTS"]
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${width}.png` })
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), width, `${name} at ${width}`)
    assert.deepStrictEqual(await violations(page), [], `${name} at ${width}`)
  }
}

const remove = async (page: Page, name: string): Promise<void> => {
  await look(page, name)
  await page.getByRole("link", { name: "Delete…" }).click()
  await page.getByRole("heading", { name: `Delete this ${name}?` }).waitFor()
  await look(page, `${name}-asked`)
  await page.getByRole("link", { name: "Keep it" }).click()
  await page.getByRole("link", { name: "Delete…" }).click()
  await page.getByRole("button", { name: `Delete this ${name} for good` }).click()
}

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("deleting in a browser", (it) => {
  it.effect(
    "a build, a preview and a run are deleted from their pages, and the page of a run says that its preview was",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestHost
        const account = yield* newAccount(["builds", "preview_upload", "test_runs", "delete"])
        const { row } = yield* readyBuild(account)
        const { shareId } = yield* readyPreview(account, { owner: account.owner, repo: account.repo, branch: "main" })
        const run = yield* registered(account, shareId, { name: "Checkout pays with a saved card" })
        const { page } = yield* openSignedIn(account, `${url}/builds/${row.id}`)
        yield* Effect.promise(async () => {
          await remove(page, "build")
          await page.waitForURL(/\/repositories\?/)
          await page.goto(`${url}/previews/${shareId}`)
          await remove(page, "preview")
          await page.waitForURL(`${url}/`)
          await page.goto(`${url}/previews/${shareId}`)
          await page.getByRole("heading", { name: "This preview was deleted" }).waitFor()
          await look(page, "preview-deleted")
          await page.getByRole("link", { name: "See the test run" }).click()
          await page.waitForURL(`${url}/runs/${run.id}`)
          await page.getByText("The preview of this run was deleted").waitFor()
          await remove(page, "run")
          await page.waitForURL(/\/repositories\?/)
          await page.goto(`${url}/runs/${run.id}`)
          await page.getByRole("heading", { name: "Nothing here" }).waitFor()
        })
      })
  )
})
