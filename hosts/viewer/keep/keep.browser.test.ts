/** Keeping in a real browser, on a phone and a desk, without a barrier that axe finds. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { oneOfEach } from "../testing/ofEach.ts"
import { assertUsable } from "../testing/usable.ts"

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("keeping in a browser", (it) => {
  it.effect("a build, a preview and a run are kept from their pages, and released", () =>
    Effect.gen(function* () {
      const { url } = yield* TestHost
      const { account, build, preview, runPage } = yield* oneOfEach
      const { page } = yield* openSignedIn(account, url + build)
      yield* Effect.promise(async () => {
        for (const [name, path] of [
          ["build", build],
          ["preview", preview],
          ["run", runPage]
        ] as const) {
          await page.goto(url + path)
          await assertUsable(page, `${name}-before`)
          await page.getByRole("button", { name: "Keep" }).click()
          await page.getByRole("button", { name: "Release" }).waitFor()
          await assertUsable(page, `${name}-kept`)
          await page.getByRole("button", { name: "Release" }).click()
          await page.getByRole("button", { name: "Keep" }).waitFor()
        }
      })
    })
  )
})
