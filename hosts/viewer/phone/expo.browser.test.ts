/** An Expo app as `expo export --no-bytecode` leaves it, with its pictures, its font and its modules. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { Chromium } from "../testing/chromium.ts"
import { openApp, uploadFixture } from "./testing/fixture.ts"

const account = newAccount(["preview_upload"])

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("an Expo app", (it) => {
  it.effect("runs with its pictures, its font and its modules", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "expo-57")
      const { app } = yield* openApp({ key }, preview.url)
      const { at, frame, says, tap } = app
      yield* Effect.promise(async () => {
        await says("fonts", "fonts loaded")
        assert.include(await at("font").evaluate((one) => getComputedStyle(one).fontFamily), "PermanentMarker")
        const loaded = await frame.evaluate(() =>
          Array.from(document.fonts, ({ family, status }) => `${family.replaceAll(`"`, "")} ${status}`)
        )
        assert.includeMembers(loaded, ["PermanentMarker loaded", "feather loaded"])
        await at("image-loaded")
          .filter({ hasText: /image (?:80×100|160×200|240×300)/ })
          .waitFor()
        await says("asset", "asset 80×100")
        // An export carries no configuration: it is read from app.json.
        await says("config", "Harbour post 40 own")
        await tap("copy")
        await says("copied", "copied berth 7")
        await tap("feel")
        await says("felt", "felt an impact")
      })
    })
  )
})
