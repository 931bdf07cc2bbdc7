/** What the recipes of `docs/replay.md` make, drawn in a browser: an app with a picture, and AsyncStorage. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { Chromium } from "../testing/chromium.ts"
import { appFrame, waitForState } from "../testing/app.ts"
import { appIn } from "../../phone/testing/App.ts"
import { openApp, uploadFixture } from "../testing/nativeApps.ts"

const account = newAccount(["preview_upload"])

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("a recipe", (it) => {
  it.effect.each(["logbook-0.86", "logbook-57-web", "logbook-esbuild"])("%s draws its picture and stores", (name) =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, name)
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        // React Native for the web and the phone both draw a picture as the background of an element.
        const width = await app.at("buoy").evaluate(async (buoy) => {
          const urls = [buoy, ...buoy.querySelectorAll("*")].flatMap((part) => {
            const [, url] = /^url\("(.+)"\)$/.exec(getComputedStyle(part).backgroundImage) ?? []
            return url === undefined ? [] : [url]
          })
          const image = Object.assign(new Image(), { src: urls[0] ?? "" })
          await image.decode()
          return image.naturalWidth
        })
        assert.isAbove(width, 0)
        await app.says("said", "nothing written")
        await app.tap("write")
        await app.says("said", "1 written")
        await app.tap("write")
        await app.says("said", "2 written")
        await page.getByRole("button", { name: "Reload" }).click()
        await waitForState(page, "Running")
        const again = appIn(page, appFrame(page))
        await again.says("said", "nothing written")
        await again.tap("write")
        await again.says("said", "1 written")
      })
    })
  )
})
