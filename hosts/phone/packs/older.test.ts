import { assert, describe, it } from "@effect/vitest"
import type { AppGlobal } from "../runtime/appGlobal.ts"
import { fieldsIn, functionIn } from "../runtime/decode.ts"
import { optionalOfExpo } from "./expo/optional.ts"
import { mmkv } from "./mmkv/mmkv.ts"

describe("older versions of libraries", () => {
  it("MMKV 2 makes its store by a global function, without a native module", () => {
    const app: AppGlobal = {}
    mmkv.install({ app })
    const store = fieldsIn(functionIn(app["mmkvCreateNewInstance"])?.({ id: "tides" }))
    functionIn(store["set"])?.("high", "06:12")
    assert.strictEqual(functionIn(store["getString"])?.("high"), "06:12")
    assert.isUndefined(functionIn(store["getNumber"])?.("high"))
  })

  it("Expo before 55 finds no proxy of all modules, and uses the older one", () => {
    assert.isTrue(optionalOfExpo("").has("NativeModulesProxy"))
  })
})
