/** Pages that show what changed by themselves, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { registerRun, uploadPreview } from "../testing/previews.ts"

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("live pages", (it) => {
  it.effect("home, repository and CI run show a run that is registered while they are open, and keep the focus", () =>
    Effect.gen(function* () {
      const { url } = yield* TestHost
      const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
      const { owner, repo } = account
      const { shareId } = yield* uploadPreview(account, { owner, repo })
      const run = (name: string) =>
        registerRun(account, { previewShareId: shareId, name, status: "failed", branch: "main", source: "github:1" })
      yield* run("Log in")
      const repository = String(new URLSearchParams({ owner, repo }))
      const paths = ["/", `/repositories?${repository}&tab=runs`, `/sources?${repository}&source=github:1`]
      const opened = yield* Effect.forEach(paths, (path) => openSignedIn(account, url + path))
      const [home] = opened
      const link = `a[href="/repositories?${repository}"]`
      yield* Effect.promise(async () => home?.page.locator(`main ${link}`).first().focus())
      yield* run("Pay by card")
      yield* Effect.forEach(opened, ({ page }) =>
        Effect.promise(() => page.getByText("Pay by card").first().waitFor({ state: "attached" }))
      )
      const focused = yield* Effect.promise(async () =>
        home?.page.evaluate(() => document.activeElement?.getAttribute("href"))
      )
      assert.strictEqual(focused, `/repositories?${repository}`)
      for (const { complaints } of opened) assert.deepStrictEqual(complaints, [])
    })
  )
})
