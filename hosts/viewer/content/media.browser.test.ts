/** Seeking in a long recording, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { hugeRecording } from "../testing/runs.ts"
import { uploadPreview } from "../testing/previews.ts"

const sizeBytes = 500_000_000
const engines = inMemory
const { count, objects } = hugeRecording(sizeBytes)

layer(Layer.merge(TestHost.layer({ ...engines, ports: Layer.provideMerge(objects, engines.ports) }), Chromium.layer))(
  "a recording of 500 MB in Chromium",
  (it) => {
    it.effect("is scrubbed from end to end by ranges, and little of it is read", function* () {
      const { key } = yield* newAccount(["preview_upload"])
      const recordings = [{ name: "film.mp4", kind: "video", contentType: "video/mp4", sizeBytes }]
      const preview = yield* uploadPreview({ key }, { recordings }, { recordings: [bytes("x")] })
      const { complaints, page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        const video = page.locator("video")
        const statuses: Array<number> = []
        page.on("response", (response) => {
          if (response.request().resourceType() === "media") statuses.push(response.status())
        })
        await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
        for (const share of [0.98, 0.02, 0.5, 0.999]) {
          const reached = await video.evaluate(
            (element, part) =>
              new Promise<number>((resolve) => {
                if (!(element instanceof HTMLVideoElement)) return resolve(0)
                element.addEventListener("seeked", () => resolve(element.currentTime / element.duration), {
                  once: true
                })
                element.currentTime = element.duration * part
              }),
            share
          )
          assert.closeTo(reached, share, 0.001)
        }
        assert.isNotEmpty(statuses)
        assert.deepStrictEqual([...new Set(statuses)], [206])
        assert.isBelow(count.bytes, sizeBytes / 5)
      })
      assert.deepStrictEqual(complaints, [])
    })
  }
)
