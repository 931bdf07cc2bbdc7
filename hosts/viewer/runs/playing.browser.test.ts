import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { about, isTogether, momentOf, settled } from "../testing/moment.ts"
import { demoFile, demoRun, recordedRun, type Recording, runAccount } from "../testing/runs.ts"

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

  it.effect("it plays in sync with the video, and pauses", () =>
    Effect.gen(function* () {
      const account = yield* runAccount
      const run = yield* demoRun(account, "feet-failed")
      const { complaints, page } = yield* openSignedIn(account, run.traceUrl)
      yield* Effect.promise(async () => {
        await page.goto(`${run.traceUrl}#t=1`)
        complaints.length = 0
        await settled(page, ({ event, time, video }) => time === "0:01.000" && about(video, 1) && event !== "")
        await page.keyboard.press("Space")
        await page.getByRole("button", { name: "Pause" }).waitFor()
        const later = await settled(page, ({ video }) => video > 1.6)
        assert.isAbove(Number(later.time.split(":")[1]), 1.3)
        assert.notStrictEqual(later.event, "")
        await page.keyboard.press("Space")
        await page.getByRole("button", { name: "Play" }).waitFor()
        const stopped = await settled(page, isTogether)
        assert.isTrue(await page.evaluate(() => document.querySelector("video")?.paused))
        await page.evaluate(async () => {
          for (let frames = 0; frames < 12; frames += 1) await new Promise(requestAnimationFrame)
        })
        assert.strictEqual((await momentOf(page)).time, stopped.time)
        await page.waitForURL(({ hash }) => hash === `#t=${Number(stopped.time.split(":")[1])}`)

        // Playback stops at the end; playing again starts from the beginning.
        await page.keyboard.press("Shift+ArrowRight")
        const end = await settled(page, ({ time, video }) => video > 5 && time !== stopped.time)
        await page.keyboard.press("Space")
        await settled(page, ({ video }) => video < 2)
        await page.keyboard.press("Space")
        assert.match(end.time, /^0:05\./)
      })
      assert.deepStrictEqual(complaints, [])
    })
  )

  it.effect("several videos follow one clock, each from when it began, and one that can't be played has a note", () =>
    Effect.gen(function* () {
      const account = yield* runAccount
      const bytes = yield* demoFile("feet-failed", "screen.webm")
      const video = { kind: "video", contentType: "video/webm", bytes } as const
      const run = yield* recordedRun(account, [
        { ...video, name: "phone.webm", startedAtMs: 0 },
        { ...video, name: "server.webm", startedAtMs: 1500, durationMs: 5000 },
        { name: "broken.mp4", kind: "video", contentType: "video/mp4", bytes: bytes.slice(0, 40), startedAtMs: 0 }
      ])
      const { page } = yield* openSignedIn(account, run.traceUrl)
      yield* Effect.promise(async () => {
        const videos = () =>
          page.evaluate(() => Array.from(document.querySelectorAll("video"), ({ currentTime }) => currentTime))
        const until = async (isThere: (one: number, other: number) => boolean) => {
          let [one = -1, other = -1] = await videos()
          for (let frames = 0; frames < 1800 && !isThere(one, other); frames += 1) {
            await page.evaluate(() => new Promise(requestAnimationFrame))
            ;[one = -1, other = -1] = await videos()
          }
          assert.isTrue(isThere(one, other), `${one} ${other}`)
        }
        await page.getByText("This browser can't play it.").waitFor()
        await page.getByRole("slider", { name: "Moment" }).fill("0")
        await page.getByText("begins at 0:01.500").waitFor()
        await page.getByRole("slider", { name: "Moment" }).fill("4000")
        await until((one, other) => about(one, 4) && about(other, 2.5))
        await page.keyboard.press("ArrowLeft")
        await until((one, other) => about(one, 3) && about(other, 1.5))
        await page.keyboard.press("Space")
        await until((one, other) => one > 3.4 && Math.abs(one - 1.5 - other) < 0.3)
        await page.keyboard.press("Space")
        // The clock ends with the last recording.
        assert.match((await page.locator(".time").textContent()) ?? "", /\/ 0:06\.\d+$/)
      })
    })
  )

  it.effect("two runs play on one clock, with their differences in words", () =>
    Effect.gen(function* () {
      const account = yield* runAccount
      yield* demoRun(account, "feet-passed")
      const failed = yield* demoRun(account, "feet-failed")
      const { complaints, page } = yield* openSignedIn(account, failed.traceUrl)
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Compare with the last one that passed" }).click()
        await page.getByRole("heading", { level: 1, name: "Compare Shows feet" }).waitFor()
        const looked = () =>
          page.evaluate(() => ({
            row: document.querySelector("tr[aria-current] th bdi")?.textContent ?? "",
            videos: [...document.querySelectorAll("video")].map(({ currentTime }) => currentTime),
            isStill: [...document.querySelectorAll("video")].every(({ paused, seeking }) => paused && !seeking)
          }))
        const until = async (isThere: (now: Awaited<ReturnType<typeof looked>>) => boolean) => {
          let now = await looked()
          for (let frames = 0; frames < 1800 && !isThere(now); frames += 1) {
            await page.evaluate(() => new Promise(requestAnimationFrame))
            now = await looked()
          }
          assert.isTrue(isThere(now), JSON.stringify(now))
          return now
        }
        // It opens where the two runs begin to differ.
        const parted = await until(({ row, videos: [, right = 0] }) => row === "Expect lengths in feet" && right > 4)
        assert.isAbove(parted.videos[1] ?? 0, parted.videos[0] ?? 0)
        await page.getByRole("row", { name: /Expect lengths in feet.*passed → failed/ }).waitFor()
        await page.getByText(/areas? differs? \(.*%\)/).waitFor()
        assert.isAbove(await page.locator('[data-side="right"] .differences rect').count(), 0)
        await page.keyboard.press("2")
        await page.getByRole("button", { name: "Swipe", pressed: true }).waitFor()
        await page.getByRole("slider", { name: "How much of the right screen is shown" }).waitFor()
        await page.keyboard.press("1")
        await page.keyboard.press("d")
        assert.strictEqual(await page.locator(".differences rect").count(), 0)
        await page.keyboard.press("k")
        await page.keyboard.press("k")
        const aligned = await until(({ row, videos }) => row === "Switch to feet" && Math.max(...videos) < 3)
        await page.keyboard.press("Space")
        const [left = 0, right = 0] = aligned.videos
        await until(({ videos: [one = 0, other = 0] }) => one > left + 0.2 && other > right + 0.2)
        await page.keyboard.press("Space")
        const { row, videos } = await until(({ isStill }) => isStill)
        // At its next step the run that comes first waits for the other, as far as they differ; a busy machine may get there.
        if (row === aligned.row) assert.closeTo((videos[0] ?? 0) - left, (videos[1] ?? 0) - right, 0.5)
        await page.getByRole("button", { name: "Launch the app" }).click()
        await until(({ row, videos }) => row === "Launch the app" && Math.max(...videos) < 0.1)
        // One choice for both sides.
        await page.getByRole("button", { name: "Video", exact: true }).click()
        assert.strictEqual(await page.locator('.screens[data-view="video"]').count(), 2)
      })
      assert.deepStrictEqual(complaints, [])
    })
  )
})
