/** Flows on the page of a preview: recorded, played, and those of a recorded run. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { appIn } from "../../phone/testing/App.ts"
import { recordingsFolder } from "../../demo/ci.ts"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { appFrame, uploadFixture, uploadHarbour, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { registerRun } from "../testing/previews.ts"

const account = newAccount(["preview_upload", "test_runs"])

const flowOf = (page: Page) => {
  const panel = page.locator(".panel.flow")
  const verdict = panel.locator(".verdict")
  return {
    text: panel.getByLabel("Maestro flow"),
    click: (name: string) => panel.getByRole("button", { name, exact: true }).click(),
    /** Plays the flow; answers how it ended, and its steps. */
    play: async () => {
      await panel.locator(".wait input").fill("3")
      await panel.getByRole("button", { name: "Play", exact: true }).click()
      await verdict.and(page.locator("[data-status=passed], [data-status=failed], [data-status=incomplete]")).waitFor()
      const steps = await panel
        .locator(".ran li")
        .evaluateAll((items) => items.map((item) => [...item.children].map((part) => part.textContent).join(" | ")))
      return { verdict: await verdict.textContent(), steps }
    }
  }
}

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("a flow on the page of a preview", (it) => {
  it.effect("that was recorded passes there, and fails on the app with a change", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadHarbour({ key })
      const { page } = yield* openSignedIn({ key }, preview.url)
      const recorded = yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 1300 })
        await waitForState(page, "Running")
        await page.getByRole("tab", { name: "Flow" }).click()
        const flow = flowOf(page)
        await flow.click("Record")
        await page.getByRole("button", { name: "Assert visible" }).waitFor()
        const app = appIn(page, appFrame(page))
        for (const testID of ["tab-settings", "officer"]) await app.tap(testID)
        await page.keyboard.type("Noor")
        for (const testID of ["feet", "tab-slips", "tab-gate", "count-up", "count-up"]) await app.tap(testID)
        await app.says("count", "2")
        await flow.click("Assert visible")
        await app.at("count").click()
        await page.locator("button[data-do=assert][aria-pressed=false]").waitFor()
        await flow.click("Stop recording")
        await app.tap("count-up")
        const text = await flow.text.inputValue()
        assert.deepStrictEqual(await flow.play(), {
          verdict: "Passed: 10 steps.",
          steps: [
            "Passed | launchApp | ",
            "Passed | tapOn id tab-settings | ",
            "Passed | tapOn id officer | ",
            "Passed | inputText Noor | ",
            "Passed | tapOn id feet | ",
            "Passed | tapOn id tab-slips | ",
            "Passed | tapOn id tab-gate | ",
            "Passed | tapOn id count-up | ",
            "Passed | tapOn id count-up | ",
            "Passed | assertVisible “2”, id count | "
          ]
        })
        return text
      })
      const changed = yield* uploadHarbour({ key }, (bundle) => bundle.replaceAll("count-up", "count-more"))
      yield* Effect.promise(async () => {
        await page.goto(changed.url)
        await waitForState(page, "Running")
        await page.getByRole("tab", { name: "Flow" }).click()
        const flow = flowOf(page)
        await flow.text.fill(recorded)
        const { steps, verdict } = await flow.play()
        assert.strictEqual(verdict, "Failed after 7 steps.")
        assert.strictEqual(steps.at(-1), "Failed | tapOn id count-up | Element not found: id count-up")
        // What a phone can't do is never a success.
        await flow.text.fill("- launchApp\n- setLocation: {latitude: 1, longitude: 2}\n- assertVisible: Slips")
        assert.strictEqual((await flow.play()).verdict, "Incomplete: 1 step skipped, 2 passed.")
        await flow.text.fill("- launchApp: [")
        assert.match((await flow.play()).verdict ?? "", /^This is no flow\. /)
      })
    })
  )

  it.effect("sets the device, runs files of the upload and scripts, and starts and stops the app", () =>
    Effect.gen(function* () {
      const owner = yield* account
      const preview = yield* uploadFixture(owner, "tour-0.86", {
        more: {
          ".maestro/parts/device.yaml": "appId: tour\n---\n- tapOn: {id: station-device}\n- runScript: ../js/width.js",
          ".maestro/js/width.js": "const width = 844\noutput.window = `window ${width}×390 turns 1`"
        }
      })
      const { page } = yield* openSignedIn(owner, preview.url)
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 1300 })
        await page.emulateMedia({ colorScheme: null })
        await waitForState(page, "Running")
        await page.getByRole("tab", { name: "Flow" }).click()
        const flow = flowOf(page)
        await flow.text.fill(`appId: tour
---
- stopApp
- launchApp: {permissions: {all: deny}}
- runFlow: parts/device.yaml
- setOrientation: LANDSCAPE_LEFT
- assertVisible: \${output.window}
- setOrientation: PORTRAIT
- setDarkMode: enabled
- assertDarkMode
- assertVisible: scheme dark changes 1
- launchApp: {stopApp: false}
- assertVisible: scheme dark changes 1
- openLink: tour://berth/7
- runFlow: {when: {platform: iOS, true: '\${maestro.platform == "ios"}'}, commands: [assertVisible: 'scheme.*']}
- killApp
- launchApp
- assertNotVisible: scheme.*
- toggleDarkMode
- assertLightMode
`)
        const { steps, verdict } = await flow.play()
        assert.deepStrictEqual(
          steps.filter((step) => !/^Passed \| .* \| $/.test(step)),
          []
        )
        assert.match(verdict ?? "", /^Passed: /)
        await flow.text.fill("- takeScreenshot: first\n- runFlow: none.yaml\n- killApp\n- tapOn: x")
        const after = await flow.play()
        assert.match(after.steps[0] ?? "", /^Passed \| takeScreenshot first \| after \d+\.\d s, without a picture/)
        assert.match(after.steps[1] ?? "", /^Skipped \| .*none\.yaml is not in the upload: .* --flows$/)
        assert.match(after.steps[3] ?? "", /^Failed \| .*the app was stopped: launchApp starts it again$/)
      })
    })
  )

  it.effect("of a run that failed is played on its preview, and fails there too", () =>
    Effect.gen(function* () {
      const owner = yield* account
      const file = (name: string) => new Uint8Array(readFileSync(join(recordingsFolder, "feet-failed", name)))
      const [events, video] = [file("events.jsonl"), file("screen.webm")]
      const { shareId } = yield* uploadHarbour(
        owner,
        undefined,
        {
          owner: owner.owner,
          repo: owner.repo,
          recordings: [
            { name: "events.jsonl", kind: "events", contentType: "application/x-ndjson", sizeBytes: events.byteLength },
            { name: "screen.webm", kind: "video", contentType: "video/webm", sizeBytes: video.byteLength }
          ]
        },
        [events, video]
      )
      const run = yield* registerRun(owner, {
        previewShareId: shareId,
        kind: "maestro",
        name: "Feet",
        status: "failed",
        failedStepIndex: 5
      })
      const { page } = yield* openSignedIn(owner, run.traceUrl)
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Replay these steps on the preview" }).click()
        await waitForState(page, "Running")
        // The video of the run is beside the app, where the run failed; each step that is played moves it.
        const video = page.locator(".recorded-run video")
        const seconds = () => video.evaluate((element: HTMLVideoElement) => element.currentTime)
        await page.waitForFunction(
          () => (document.querySelector<HTMLVideoElement>(".recorded-run video")?.currentTime ?? 0) > 0
        )
        const end = await seconds()
        await video.evaluate((element: HTMLVideoElement) => {
          element.currentTime = 0
        })
        const { steps, verdict } = await flowOf(page).play()
        assert.strictEqual(verdict, "Failed after 10 steps.")
        assert.strictEqual(await seconds(), end)
        assert.deepStrictEqual(steps.slice(-2), [
          "Passed | tapOn id tab-slips | ",
          "Failed | assertVisible “.* ft” | “.* ft” is not visible"
        ])
      })
    })
  )
})
