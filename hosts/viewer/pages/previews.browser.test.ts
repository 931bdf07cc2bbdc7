/** A recording in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { uploadPreview } from "../testing/previews.ts"

/** A second of silence. A browser detects its real type, whatever the declared one. */
const waveHeader = "52494646641f000057415645666d74201000000001000100401f0000401f00000100080064617461401f0000"
const silence = new Uint8Array(Buffer.concat([Buffer.from(waveHeader, "hex"), Buffer.alloc(8000, 128)]))

const engines = embedded()

layer(Layer.merge(TestHost.layer(engines), Chromium.layer))("previews in Chromium", (it) => {
  it.effect("a video plays on its preview's page and by itself", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(["preview_upload"])
      const preview = yield* uploadPreview(
        account,
        { recordings: [{ name: "film.mp4", kind: "video", contentType: "video/mp4", sizeBytes: silence.byteLength }] },
        { recordings: [silence] }
      )
      const { complaints, page } = yield* openSignedIn(account, preview.url)
      yield* Effect.promise(async () => {
        await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
        // The document is requested first, then its player requests the video.
        const played = page.waitForResponse((response) => response.request().resourceType() === "media")
        // A click directly after a scroll can land in the app's frame, which was at this position.
        await page.getByRole("link", { name: "As uploaded film.mp4" }).press("Enter")
        assert.strictEqual((await played).status(), 206)
      })
      assert.deepStrictEqual(complaints, [])
    })
  )
})
