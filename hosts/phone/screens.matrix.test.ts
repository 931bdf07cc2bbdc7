/** Ten screens of the kinds that open-source apps are made of, each used as somebody would use it. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { openApp } from "./testing/openApp.ts"
import { screenWalks } from "./testing/screenWalks.ts"

layer(Chromium.layer)("screens of apps", (it) => {
  it.effect("come up and are used", () =>
    Effect.gen(function* () {
      const { app } = yield* openApp("screens-0.86")
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
