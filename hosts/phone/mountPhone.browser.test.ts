/** An app on a plain page: nothing of Slipway runs, and nothing serves it but a server of files. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Chromium } from "./testing/chromium.ts"
import { openApp } from "./testing/openApp.ts"

layer(Chromium.layer)("mountPhone", (it) => {
  it.effect("runs a bundle with its assets on a page without Slipway", () =>
    Effect.gen(function* () {
      const { app, complaints, notes } = yield* openApp("logbook-0.86")
      yield* Effect.promise(async () => {
        await app.says("said", "nothing written")
        await app.tap("write")
        await app.says("said", "1 written")
        await app.at("buoy").and(app.frame.locator(":has(> .pixels[style*='buoy.png'])")).waitFor()
        assert.deepInclude(await notes(), {
          kind: "found",
          text:
            "React Native 0.86.3: the app’s own JavaScript, drawn by an emulation of the phone. " +
            "Fonts, controls, motion and what a device can do differ."
        })
        assert.deepStrictEqual(complaints, [])
      })
    })
  )

  it.effect("says why a bundle can't run, and draws nothing", () =>
    Effect.gen(function* () {
      const { app, notes } = yield* openApp("bare-0.86-android")
      yield* Effect.promise(async () => {
        await app.frame.waitForFunction(() => Reflect.get(globalThis, "notes").length > 0)
        const [note] = await notes()
        assert.strictEqual(note.kind, "obstacle")
        assert.match(note.text, /It was made for Android/)
        assert.strictEqual(await app.frame.locator("#root > *").count(), 0)
      })
    })
  )
})
