/** As `tour.browser.test.ts`, by release bundles of the versions between, and by one for Android. */
import { layer } from "@effect/vitest"
import { Chromium } from "./testing/chromium.ts"
import { useTour } from "./testing/tour.ts"

layer(Chromium.layer)("the tour", (it) => {
  it.effect.each(["0.76", "0.80", "0.86", "0.86-android"])("of %s is used by testID", useTour)
})
