/** AsyncStorage and Reanimated by their published packages, in the versions that three releases of React Native had. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { openApp } from "./testing/App.ts"
import { both, draws, of, shown, transforms, wheel } from "./testing/claims.ts"

/** What each step of the store answers, in their order. */
const stored = {
  store: "fender",
  merge: `{"main":1,"jib":2}`,
  keys: "berth boat sails",
  several: `[["berth","7"],["nothing",null]]`,
  remove: "sails",
  clear: "0 left"
}

/** Where each motion leaves its box, in points. */
const moved = { timing: 50, spring: 50, sequence: 50, delay: 50, repeat: 50 }

layer(Chromium.layer)("the packages", (it) => {
  // AsyncStorage 3, which is with 0.86, has other names for the same: the app that navigates uses them.
  const releases = [
    ["0.76-before", stored],
    ["0.80-before", stored],
    ["0.80-between", stored],
    ["0.86", {}],
    ["0.88", {}]
  ] as const
  it.effect.each(releases)("of %s store and move", ([release, steps]) =>
    Effect.gen(function* () {
      const { app } = yield* openApp(`packs-${release}`)
      yield* Effect.promise(async () => {
        for (const [step, answer] of Object.entries(steps)) {
          await app.tap(step)
          await app.says("said", `${step}: ${answer}`)
        }
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
