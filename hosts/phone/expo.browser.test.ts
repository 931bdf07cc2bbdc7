/** An Expo app as `expo export --no-bytecode` leaves it, with its pictures, its font and its modules. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { openApp } from "./testing/openApp.ts"

layer(Chromium.layer)("an Expo app", (it) => {
  it.effect("runs with its pictures, its font and its modules", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("expo-57")
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
        // The package of updates is required while an app starts. A replay has none, and says it.
        await says("update", "update false false ERR_UPDATES_DISABLED")
        await says("permission", "notifications undetermined")
        await says("digest", "digest 45e90e99")
      })
    })
  )
})
