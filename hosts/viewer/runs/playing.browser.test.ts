/** Playing a trace in a real browser: jumping to other moments during playback, and using the keyboard. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { about, isTogether, settled } from "../testing/moment.ts"
import { demoRun, recordedRun, runAccount, type Recording } from "../testing/runs.ts"

const engines = embedded()

const logOf = (name: string, lines: ReadonlyArray<string>): Recording => ({
  name,
  kind: "log",
  contentType: "text/plain",
  bytes: bytes(`${lines.join("\n")}\n`)
})

layer(Layer.merge(TestHost.layer(engines), Chromium.layer))("a trace played", (it) => {
  it.effect("jumps to a selected moment while it plays, and continues from there", () =>
    Effect.gen(function* () {
      const account = yield* runAccount
      const run = yield* demoRun(account, "feet-failed")
      const { complaints, page } = yield* openSignedIn(account, run.traceUrl)
      yield* Effect.promise(async () => {
        await page.goto(`${run.traceUrl}#t=0.5`)
        complaints.length = 0
        await settled(page, ({ event, video }) => about(video, 0.5) && event !== "")
        // Slow enough that playback doesn't reach the moment by itself.
        await page.getByLabel("Speed").selectOption("0.25")
        await page.getByRole("slider", { name: "Moment" }).focus()
        await page.keyboard.press("Space")
        await settled(page, ({ video }) => video > 0.55)
        await page.keyboard.press("ArrowRight")
        await settled(page, ({ step, video }) => video > 1.5 && video < 2.5 && step !== "")
        await page.getByRole("slider", { name: "Moment" }).fill("4000")
        await settled(page, ({ step, video }) => video > 4 && video < 4.9 && step === "Expect lengths in feet")
        await page.keyboard.press("Shift+ArrowLeft")
        await settled(page, ({ step, video }) => video < 0.4 && step === "Launch the app")
        await page.getByRole("button", { name: "Pause" }).waitFor()
        // All of several key presses within one frame take effect.
        await page.keyboard.press("k")
        await settled(page, ({ time }) => time === "0:00.026")
        await page.evaluate(() => {
          for (const key of ["j", "j", "j", "k", "j", "j"])
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
        })
        await settled(page, (now) => now.step === "Go back to the slips" && isTogether(now))
      })
      assert.deepStrictEqual(complaints, [])
    })
  )

  it.effect("can be used with the keyboard: one tab stop for the steps, and arrows from line to line", () =>
    Effect.gen(function* () {
      const account = yield* runAccount
      const run = yield* demoRun(account, "feet-failed")
      const { page } = yield* openSignedIn(account, run.traceUrl)
      yield* Effect.promise(async () => {
        await settled(page, ({ event, log, step }) => event !== "" && log !== "" && step === "Expect lengths in feet")
        const focused = () => page.evaluate(() => document.activeElement?.querySelector(".what")?.textContent ?? "")
        await page.getByRole("link", { name: "Replay these steps on the preview" }).focus()
        await page.keyboard.press("Tab")
        assert.strictEqual(await focused(), "Expect lengths in feet")
        await page.keyboard.press("ArrowUp")
        await settled(page, ({ step }) => step === "Go back to the slips")
        assert.strictEqual(await focused(), "Go back to the slips")
        await page.keyboard.press("j")
        await settled(page, ({ step }) => step === "Expect lengths in feet")
        assert.strictEqual(await focused(), "Expect lengths in feet")
        await page.keyboard.press("ArrowDown")
        const next = await settled(page, ({ step }) => step === "Open the first slip")
        // This step begins when the one before fails; a link to that moment means the failure.
        await page.getByRole("link", { name: `at ${next.time}` }).click()
        await settled(page, ({ step, time }) => step === "Expect lengths in feet" && time === next.time)
        await page.locator(".step[aria-current] summary").focus()
        await page.keyboard.press("ArrowDown")
        await settled(page, ({ step }) => step === "Open the first slip")
        // The next stops: the links of the open step, the switch between video and screenshot, and the screenshots.
        for (const _ of ["Before", "After", "Video", "Screenshot", "slips.jpg"]) await page.keyboard.press("Tab")
        assert.strictEqual(await focused(), "slips.jpg")

        // Each list marks its own line as the current one.
        for (const name of ["Events", "Log"]) {
          const list = page.getByRole("listbox", { name })
          await list.press("Home")
          await list.locator('[aria-current][aria-posinset="1"]').waitFor()
          const named = await list.evaluate((one) => {
            const active = document.querySelectorAll(`[id="${one.getAttribute("aria-activedescendant")}"]`)
            return active.length === 1 && one.contains(active.item(0)) && active.item(0).matches("[aria-current]")
          })
          assert.isTrue(named, name)
        }
      })
    })
  )

  it.effect("has the logs of a test runner and of its device in the order of their times, without colours", () =>
    Effect.gen(function* () {
      const account = yield* runAccount
      const run = yield* recordedRun(account, [
        logOf("runner.log", [
          "\u001b[36m11:44:06.770\u001b[39m runner[13] \u001b[34mi\u001b[39m  Launch",
          "11:44:08.770 runner[13] E  Pay failed",
          "    at pay.test.js:7"
        ]),
        logOf("device.txt", ["03-19 14:45:20.123  12  34 D App: hello", "03-19 14:45:21.123  12  34 E App: boom"])
      ])
      const { page } = yield* openSignedIn(account, run.traceUrl)
      yield* Effect.promise(async () => {
        const list = page.getByRole("listbox", { name: "Log" })
        await list.getByRole("option").nth(4).waitFor()
        assert.deepStrictEqual(await list.getByRole("option").allTextContents(), [
          "0:00.000 runner.log runner[13] i  Launch",
          "0:00.000 device.txt 12  34 D App: hello",
          "0:01.000 device.txt 12  34 E App: boom",
          "0:02.000 runner.log runner[13] E  Pay failed",
          "0:02.000 runner.log     at pay.test.js:7"
        ])
      })
    })
  )
})
