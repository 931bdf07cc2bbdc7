/** Each component and API of React Native, by release bundles of four versions, used by `testID`. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { openApp } from "./testing/openApp.ts"
import { tourWalks } from "./testing/tourWalks.ts"

layer(Chromium.layer)("the tour", (it) => {
  it.effect.each(["0.73", "0.76", "0.80", "0.86"])("of %s is used by testID", (version) =>
    Effect.gen(function* () {
      const { app, page, turn } = yield* openApp(`tour-${version}`)
      yield* Effect.promise(async () => {
        await app.tap("station-device")
        await app.says("window", "window 390×844 turns 0")
        await turn()
        await app.says("window", "window 844×390 turns 1")
        await turn()
        await app.says("window", "window 390×844 turns 2")
        await app.says("scheme", "scheme light changes 0")
        await page.emulateMedia({ colorScheme: "dark" })
        await app.says("scheme", "scheme dark changes 1")
        await page.emulateMedia({ colorScheme: "light" })
        await app.says("scheme", "scheme light changes 2")
        await app.tap("back")
        for (const [station, walk] of Object.entries(tourWalks)) {
          await app.tap(`station-${station}`)
          await app.at(`at-${station}`).waitFor()
          await walk(app)
          await app.tap("back")
        }
      })
    })
  )
})
