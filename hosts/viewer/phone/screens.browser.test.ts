/** Ten screens of the kinds that open-source apps are made of, each used as somebody would use it. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { Chromium } from "../testing/chromium.ts"
import { openApp, uploadFixture } from "./testing/fixture.ts"
import { screenWalks } from "./testing/screenWalks.ts"

const account = newAccount(["preview_upload"])

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("screens of apps", (it) => {
  it.effect("come up and are used", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "screens-0.86")
      const { app } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        for (const [name, walk] of Object.entries(screenWalks)) {
          await app.tap(`screen-${name}`)
          await walk(app)
          await app.tap("back")
        }
      })
    })
  )
})
