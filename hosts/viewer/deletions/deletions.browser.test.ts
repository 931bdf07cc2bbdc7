/** Deleting in a real browser: by whoever has no script, on a phone and a desk, without a barrier that axe finds. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { oneOfEach } from "../testing/ofEach.ts"
import { assertUsable } from "../testing/usable.ts"

const remove = async (page: Page, name: string): Promise<void> => {
  await assertUsable(page, name)
  await page.getByRole("link", { name: "Delete…" }).click()
  await page.getByRole("heading", { name: `Delete this ${name}?` }).waitFor()
  await assertUsable(page, `${name}-asked`)
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
        const { account, build, preview, runPage } = yield* oneOfEach
        const { page } = yield* openSignedIn(account, url + build)
        yield* Effect.promise(async () => {
          await remove(page, "build")
          await page.waitForURL(/\/repositories\?/)
          await page.goto(url + preview)
          await remove(page, "preview")
          await page.waitForURL(`${url}/`)
          await page.goto(url + preview)
          await page.getByRole("heading", { name: "This preview was deleted" }).waitFor()
          await assertUsable(page, "preview-deleted")
          await page.getByRole("link", { name: "See the test run" }).click()
          await page.waitForURL(url + runPage)
          await page.getByText("The preview of this run was deleted").waitFor()
          await remove(page, "run")
          await page.waitForURL(/\/repositories\?/)
          await page.goto(url + runPage)
          await page.getByRole("heading", { name: "Nothing here" }).waitFor()
        })
      })
  )
})
