/** Reanimated by its published packages, in the versions that three releases of React Native had. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { Chromium } from "../testing/chromium.ts"
import { openApp, uploadFixture } from "./testing/fixture.ts"
import { both, draws, of, shown, transforms, wheel } from "./testing/props/claims.ts"

const account = newAccount(["preview_upload"])

/** Where each motion leaves its box, in points. */
const moved = { timing: 50, spring: 50, sequence: 50, delay: 50, repeat: 50 }

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer), { timeout: "5 minutes" })("the packages", (it) => {
  it.effect.each(["0.76-before", "0.80-before", "0.86"])("of %s move what an app has them move", (release) =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, `packs-${release}`)
      const { app } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        for (const [name, by] of Object.entries(moved)) {
          await app.tap(`move ${name}`)
          await app.says("said", `${name} true`)
          await transforms(1, 0, 0, 1, by, 0)(app, `box ${name}`)
          await draws({ backgroundColor: "rgb(0, 0, 255)" })(app, `box ${name}`)
        }
        await app.tap("show")
        await app.says("said", "entered true")
        await both(
          of("entered", shown),
          of("scroll", wheel(0, 60)),
          of("follower", draws({ opacity: "0.5" }))
        )(app, "scroll")
      })
    })
  )
})
