/** The sign-in page where there is another way to sign in, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { settingsFor } from "../../node/testing/oidcProvider.ts"
import { violations, Chromium, openPage } from "../testing/chromium.ts"

layer(Layer.merge(TestHost.layer(inMemory, {}, { oidc: settingsFor("https://id.example") }), Chromium.layer))(
  "the sign-in page with a provider",
  (it) => {
    it.effect("leads there and back to the moment in the address, and bars nobody", function* () {
      const { url } = yield* TestHost
      const { page } = yield* openPage
      yield* Effect.promise(async () => {
        await page.goto(`${url}/runs/x?a=b#t=12.4`)
        const to = encodeURIComponent("/runs/x?a=b#t=12.4")
        await page.locator(`a[href$="/sign-in/oidc?to=${to}"]`, { hasText: "Sign in with id.example" }).waitFor()
        assert.deepStrictEqual(await violations(page), [])
      })
    })
  }
)
