/** What `--require-replay` reports of apps that it opens in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { reactNativeFolder, temporaryFolder, webFolder, write } from "../testing/folders.ts"
import { runCi } from "../testing/runCi.ts"

layer(TestHost.layer(inMemory))("an app that is opened before its upload", (it) => {
  const opened = Effect.fnUntraced(function* (folder: string, env: Readonly<Record<string, string>> = {}) {
    const { url } = yield* TestHost
    const args = ["upload", "preview", folder, "--dry-run", "--require-replay"]
    return yield* Effect.promise(() =>
      runCi(args, { env: { SLIPWAY_URL: url, CHROMIUM: process.env["CHROMIUM"] ?? "/usr/bin/chromium", ...env } })
    )
  })
  const script = (text: string): string => {
    const folder = temporaryFolder()
    write(folder, "main.jsbundle", text)
    return folder
  }

  it.effect("draws its first screen, whether it is made for a phone or for browsers", function* () {
    for (const folder of [reactNativeFolder(), webFolder("relative")]) {
      const { code, err } = yield* opened(folder)
      assert.include(err, "It was opened in Chromium: its first screen is drawn.")
      assert.strictEqual(code, 0, err)
    }
  })

  it.effect("is refused with its error if it never comes up", function* () {
    const native = "// nativeLoggingHook nativeFabricUIManager RN$AppRegistry\nthrow new Error('no berth')"
    const { code, err } = yield* opened(script(native))
    assert.match(err, /It can't replay\. It was opened in Chromium, and draws no first screen\. Error: no berth/)
    assert.strictEqual(code, 2)
    const blank = yield* opened(script("document.title = 'nothing'"))
    assert.include(blank.err, "draws no first screen. It reported no error.")
    assert.strictEqual(blank.code, 2)
  })

  it.effect("is refused as unchecked, where it can't be opened", function* () {
    const without = yield* opened(reactNativeFolder(), { SLIPWAY_URL: "" })
    assert.include(without.err, "Not checked whether its first screen is drawn: SLIPWAY_URL is not set.")
    const { code, err } = yield* opened(reactNativeFolder(), { CHROMIUM: "/bin/false" })
    assert.include(err, "Not checked whether its first screen is drawn: /bin/false ended with the code 1.")
    assert.strictEqual(code, 2)
  })
})
