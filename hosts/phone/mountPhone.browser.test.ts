/** Apps on a plain page: nothing of Slipway runs, and nothing serves them but a server of files. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { openApp } from "./testing/App.ts"
import { Chromium } from "./testing/chromium.ts"

layer(Chromium.layer)("mountPhone", (it) => {
  it.effect("runs a bundle with its assets on a page without Slipway", () =>
    Effect.gen(function* () {
      const { app, complaints, notes } = yield* openApp("logbook-0.86")
      yield* Effect.promise(async () => {
        await app.says("said", "nothing written")
        await app.tap("write")
        await app.says("said", "1 written")
        await app.at("buoy").and(app.frame.locator(":has(> .pixels[style*='buoy.png'])")).waitFor()
        assert.deepInclude(await notes(), {
          kind: "found",
          text:
            "React Native 0.86.3: the app’s own JavaScript, drawn by an emulation of the phone. " +
            "Fonts, controls, motion and what a device can do differ."
        })
        assert.deepStrictEqual(complaints, [])
      })
    })
  )
})

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
