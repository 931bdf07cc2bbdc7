import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundleApp } from "./bundle.ts"
import { nativeApp } from "./nativeBundle.ts"

describe("nativeApp", () => {
  it.effect("is the same app for a phone, with its pictures beside it", () =>
    Effect.gen(function* () {
      const [native, web] = [yield* nativeApp, yield* bundleApp]
      const code = new TextDecoder("utf-8", { fatal: true }).decode(native.bundle)
      assert.isFalse(native.isTransformed)
      assert.include(code, "SlipwayHarbour")
      assert.include(code, "nativeLoggingHook")
      assert.notInclude(code, "react-native-web")
      const pictures = (app: typeof web) =>
        app.files.flatMap(({ bytes, path }) => (path.endsWith(".png") ? [[path.replace(/^.*\//, ""), bytes]] : []))
      assert.deepStrictEqual(pictures(native), pictures(web))
    })
  )
})
