/** How the script that runs a phone's own bundle comes to its frame, over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { uploadScript } from "../testing/app.ts"
import { frameOf, signIn, visit } from "../testing/visit.ts"

const account = newAccount(["preview_upload"])

layer(TestHost.layer(inMemory))("the phone's script", (it) => {
  it.effect("is sent as gzip to who accepts that, and says that it depends on it; nothing else is", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript({ key }, "// nativeLoggingHook nativeFabricUIManager RN$AppRegistry")
      const page = yield* visit("GET", `/previews/${preview.shareId}`, { cookie: yield* signIn(key) })
      const path = frameOf(page.text)
      const asked = (path: string, encoding: string) =>
        visit("GET", path, { headers: { "accept-encoding": encoding, "sec-fetch-dest": "script" } })
      const plain = yield* asked(`${path}?phone`, "identity")
      assert.match(plain.text, /^\(\(\) => \{"use strict";/)
      for (const [encoding, answered] of [
        ["identity", null],
        ["gzip;q=0", null],
        ["gzip", "gzip"],
        ["br, gzip;q=0.5", "gzip"],
        ["*", "gzip"]
      ] as const) {
        const script = yield* asked(`${path}?phone`, encoding)
        assert.strictEqual(script.headers.get("content-encoding"), answered, encoding)
        assert.strictEqual(script.headers.get("vary"), "accept-encoding")
        assert.strictEqual(script.headers.get("content-type"), "text/javascript; charset=utf-8")
        assert.isTrue(script.text === plain.text, encoding)
        if (answered !== null) assert.isBelow(Number(script.headers.get("content-length")), plain.text.length / 2)
      }
      const bundle = yield* asked(`${path}index.js`, "gzip")
      assert.isNull(bundle.headers.get("content-encoding"))
    })
  )
})
