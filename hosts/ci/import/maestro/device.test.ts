/** The device of a run, from what Maestro 2.6 and 2.10 say of iOS and of Android. */
import { assert, it } from "vitest"
import { deviceOf } from "./importMaestro.ts"

it.for([
  [
    "iPhone 17 - iOS 26.5 - 089E029C-523A-4F81-8558-F0297DC8FF47",
    "089E029C-523A-4F81-8558-F0297DC8FF47",
    { name: "iPhone 17", platform: "ios", osVersion: "26.5" }
  ],
  ["Pixel 7 - Android 14 - emulator-5554", undefined, { name: "Pixel 7", platform: "android", osVersion: "14" }],
  // The name of an emulator is whatever its maker gave it; its number in the flow's variables identifies it as one.
  ["probe_api34", "emulator-5554", { name: "probe_api34", platform: "android" }],
  ["probe_api34", undefined, { name: "probe_api34" }],
  [undefined, "emulator-5554", { name: "emulator-5554", platform: "android" }],
  [undefined, undefined, undefined]
] as const)("%s with the id %s", ([described, id, expected]) => {
  assert.deepStrictEqual(deviceOf(described, id), expected)
})
