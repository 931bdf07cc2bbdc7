/** A preview and a run of it in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Locator } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { uploadDemoPreview } from "../testing/demo.ts"
import { registerRun, uploadPreview } from "../testing/previews.ts"

/** The natural width of an image; 0 if it can't be shown. */
const widthOf = (image: Locator) =>
  image.evaluate(async (element) => {
    if (!(element instanceof HTMLImageElement)) return 0
    await element.decode()
    return element.naturalWidth
  })

/** A second of silence. A browser detects its real type, whatever the declared one. */
const waveHeader = "52494646641f000057415645666d74201000000001000100401f0000401f00000100080064617461401f0000"
const silence = new Uint8Array(Buffer.concat([Buffer.from(waveHeader, "hex"), Buffer.alloc(8000, 128)]))

const engines = embedded()

layer(Layer.merge(TestHost.layer(engines), Chromium.layer))("previews in Chromium", (it) => {
  it.effect("a failed run's page shows the failure and leads to the preview, which runs", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(["preview_upload", "test_runs"])
      const preview = yield* uploadDemoPreview(account)
      const run = yield* registerRun(account, {
        previewShareId: preview.shareId,
        kind: "detox",
        name: "Settings › shows lengths in feet",
        status: "failed",
        stepCount: 4,
        failedStepIndex: 2,
        durationMs: 3912,
        source: "demo",
        pr: 7,
        failureMessage: "Timed out while waiting for expectation:\n  TOBEVISIBLE WITH MATCHER(id == “feet”)"
      })
      const { complaints, page } = yield* openSignedIn(account, run.traceUrl)
      yield* Effect.promise(async () => {
        await page.getByText("TOBEVISIBLE WITH MATCHER").waitFor()
        await page.getByText("3 of 4").waitFor()
        const screenshot = page.getByRole("img", { name: "settings.png" })
        assert.isAbove(await widthOf(screenshot), 0)

        await page.getByRole("link", { name: "Open the preview" }).click()
        await page.waitForURL(preview.url)
        const app = page.frameLocator("iframe")
        await app.getByTestId("slips").getByRole("button", { name: /slip/i }).first().waitFor()
        assert.isAbove(await widthOf(app.locator("img").first()), 0)
        // Playwright misses what it clicks in a frame that is scaled.
        await page.getByRole("button", { name: "Actual size" }).click()
        await app.getByRole("tab", { name: "Gate" }).click()
        await app.getByRole("button", { name: "Count up" }).click()
        assert.strictEqual(await app.getByTestId("count").textContent(), "1")

        // The frame of the log runs no scripts, so Playwright can't inspect it.
        const [log] = await Promise.all([
          page.waitForResponse(/\/preview-objects\/.*\/recordings\/1$/),
          page.getByRole("link", { name: "As uploaded detox.log" }).click()
        ])
        assert.include(await log.text(), "feet not found")
        await page.waitForURL(log.url())
      })
      assert.deepStrictEqual(complaints, [])
    })
  )

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
        await page.getByRole("link", { name: "As uploaded film.mp4" }).click()
        assert.strictEqual((await played).status(), 206)
      })
      assert.deepStrictEqual(complaints, [])
    })
  )
})
