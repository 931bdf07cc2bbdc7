/** Each component and API of React Native, by release bundles of the oldest and the newest version, used by `testID`. */
import { layer } from "@effect/vitest"
import { Chromium } from "./testing/chromium.ts"
import { useTour } from "./testing/tour.ts"

layer(Chromium.layer)("the tour", (it) => {
  it.effect.each(["0.73", "0.88"])("of %s is used by testID", useTour)
})
