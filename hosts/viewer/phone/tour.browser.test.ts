/** Each component and API of React Native, by release bundles of four versions, used by `testID` in a replay. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { Chromium } from "../testing/chromium.ts"
import { openApp, uploadFixture } from "./testing/fixture.ts"
import { tourWalks } from "./testing/tourWalks.ts"

const account = newAccount(["preview_upload"])

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("the tour", (it) => {
  it.effect.each(["0.73", "0.76", "0.80", "0.86"])("of %s is used by testID", (version) =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, `tour-${version}`)
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        // Otherwise the browser's own emulation hides the colour scheme that the page gives the frame.
        await page.emulateMedia({ colorScheme: null })
        await app.tap("station-device")
        await app.says("window", "window 390×844 turns 0")
        await page.getByRole("button", { name: "Rotate" }).click()
        await app.says("window", "window 844×390 turns 1")
        await page.getByRole("button", { name: "Rotate" }).click()
        await app.says("window", "window 390×844 turns 2")
        await app.says("scheme", "scheme light changes 0")
        await page.getByRole("button", { name: "Dark" }).click()
        await app.says("scheme", "scheme dark changes 1")
        await page.getByRole("button", { name: "Dark" }).click()
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
