/** A trace in a real browser: its steps, video, screenshots, events and log stay in sync. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { CreateShareLinkResponse } from "../../../core/api/shareLinks.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { bytes } from "../../http/testing/uploads.ts"
import {
  about,
  Chromium,
  isTogether,
  momentOf,
  openPage,
  openSignedIn,
  settled,
  signInAt
} from "../testing/chromium.ts"
import {
  demoFile,
  demoRun,
  eventsOf,
  packed,
  recordedRun,
  type Recording,
  runAccount,
  stepLine
} from "../testing/runs.ts"

const engines = embedded()

layer(Layer.merge(TestHost.layer(engines), Chromium.layer))("a trace in Chromium", (it) => {
  it.effect("a failed run opens at its failure, and the keyboard moves all recordings", function* () {
    const account = yield* runAccount
    const run = yield* demoRun(account, "feet-failed")
    const { complaints, page } = yield* openSignedIn(account, run.traceUrl)
    yield* Effect.promise(async () => {
      const broken = await settled(page, ({ event, log, video }) => event !== "" && log !== "" && video > 4)
      assert.strictEqual(broken.step, "Expect lengths in feet")
      assert.match(broken.event, /^0:05\.\d+ step Expect lengths in feet failed$/)
      assert.include(broken.log, "Failed")
      assert.strictEqual(broken.shot, "lengths.jpg")
      await page.locator(".failure pre", { hasText: "Assertion is false" }).waitFor()
      assert.strictEqual(new URL(page.url()).hash, "", "the address is as it was opened")

      await page.keyboard.press("k")
      await page.keyboard.press("k")
      const before = await settled(page, (now) => now.step === "Switch to feet" && isTogether(now))
      assert.match(before.event, /step Switch to feet started$/)
      assert.include(before.log, "Switch to feet …")
      assert.strictEqual(before.shot, "slips.jpg")

      await page.keyboard.press("j")
      const next = await settled(page, (now) => now.step === "Go back to the slips" && isTogether(now))
      assert.isAbove(next.video, before.video)
      assert.match(next.event, /step Go back to the slips started$/)
      assert.include(next.log, "Go back to the slips …")
      assert.strictEqual(next.shot, "settings.jpg")

      await page.keyboard.press("ArrowLeft")
      await settled(page, (now) => about(now.video, next.video - 1) && isTogether(now))
      await page.keyboard.press("Shift+ArrowLeft")
      const start = await settled(page, ({ video }) => video === 0)
      assert.strictEqual(start.time, "0:00.000")
      assert.strictEqual(start.shot, "")
      await page.keyboard.press("ArrowRight")
      await settled(page, ({ time, video }) => time === "0:01.000" && about(video, 1))
    })
    assert.deepStrictEqual(complaints, [])
  })

  it.effect("an address leads to a moment and names the one that somebody went to", function* () {
    const account = yield* runAccount
    const run = yield* demoRun(account, "feet-passed")
    const { context, page } = yield* openPage
    yield* Effect.promise(async () => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"])
      // The moment is kept even if people have to sign in first.
      await signInAt(page, `${run.traceUrl}#t=0.5`, account.key)
      await settled(page, ({ time, video }) => time === "0:00.500" && about(video, 0.5))
      await page.evaluate(() => {
        location.hash = "#t=1.25"
      })
      await settled(page, ({ time, video }) => time === "0:01.250" && about(video, 1.25))
      await page.getByRole("slider", { name: "Moment" }).fill("2000")
      await settled(page, ({ time, video }) => time === "0:02.000" && about(video, 2))
      await page.waitForURL(`${run.traceUrl}#t=2`)
      await page.getByRole("button", { name: "Copy link" }).click()
      await page.getByRole("button", { name: "Copied" }).waitFor()
      assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), `${run.traceUrl}#t=2`)
      await page.getByRole("list", { name: "Screenshots" }).getByRole("link", { name: "settings.jpg" }).click()
      const shot = await settled(page, ({ shot }) => shot === "settings.jpg")
      await page.waitForURL((url) => url.hash !== "#t=2")
      await page.reload()
      await settled(page, (moment) => moment.time === shot.time && moment.shot === shot.shot)

      // Each step leads to what was shown before and after it.
      const step = page.locator(".step", { hasText: "Switch to feet" })
      await step.locator("summary").click()
      const leadTo = async (name: string) => {
        const link = step.getByRole("link", { name })
        const seconds = Number((await link.getAttribute("href"))?.replace("#t=", ""))
        await link.click()
        await settled(page, ({ time }) => about(Number(time.split(":")[1]), seconds))
        return seconds
      }
      assert.isAbove(await leadTo("After"), await leadTo("Before"))
    })
  })

  it.effect("events are found by their type, their status and their text", function* () {
    const account = yield* runAccount
    const run = yield* demoRun(account, "feet-failed")
    const { page } = yield* openSignedIn(account, run.traceUrl)
    yield* Effect.promise(async () => {
      const section = page.getByRole("region", { name: /^Events/ })
      const list = section.getByRole("listbox")
      const shown = () => list.getByRole("option").allTextContents()
      const counted = (count: string) => section.locator(".count", { hasText: new RegExp(`^${count}$`) }).waitFor()
      await list.getByRole("option").first().waitFor()

      await page.keyboard.press("/")
      assert.isTrue(await section.getByRole("searchbox").evaluate((one) => one === document.activeElement))
      await page.keyboard.type("expect k")
      await counted("0 of \\d+")
      assert.strictEqual(await section.locator(".detail").textContent(), "", "nothing is of the moment")
      await page.keyboard.press("Backspace")
      await counted("2 of \\d+")
      for (const text of await shown()) assert.match(text, /lengths/i)
      // Enter goes to the next match, and from the last to the first.
      const position = () => list.locator("[aria-current]").getAttribute("aria-posinset")
      const at = [Number(await position())]
      for (let count = 0; count < 4; count += 1) {
        const wanted = ((at.at(-1) ?? 0) % 2) + 1
        await page.keyboard.press("Enter")
        await list.locator(`[aria-current][aria-posinset="${wanted}"]`).waitFor()
        at.push(Number(await position()))
      }
      assert.deepStrictEqual(at.at(0), at.at(-1))
      await section.getByLabel("Status").selectOption("failed")
      await counted("1 of \\d+")
      assert.match((await shown()).join(), /Expect lengths in feet failed/)
      await section.getByRole("searchbox").fill("")
      await section.getByLabel("Status").selectOption("")
      await section.getByLabel("Type").selectOption("tap")
      await counted("3 of \\d+")

      // A click on an event goes to its moment; the arrow keys continue from there.
      await list.getByRole("option", { name: "power-alerts" }).click()
      const tapped = await settled(page, ({ event, step }) => /power-alerts/.test(event) && step === "Switch to feet")
      await list.press("ArrowDown")
      await settled(page, ({ event, step }) => /tab-slips/.test(event) && step === "Go back to the slips")
      await list.press("ArrowUp")
      await settled(page, ({ event, time }) => event === tapped.event && time === tapped.time)
      await section.getByRole("group").getByText("power-alerts").waitFor()

      const log = page.getByRole("region", { name: /^Log/ })
      await log.getByRole("searchbox").fill("ERROR")
      await log.locator(".count", { hasText: /^1 of \d+$/ }).waitFor()
    })
  })

  it.effect(
    "200,000 events are read from end to end, and the failure that the page was sent without is shown",
    function* () {
      const account = yield* runAccount
      const many = 200_000
      const lines = Array.from({ length: many - 2 }, (_, index) =>
        JSON.stringify({
          t: index,
          type: index % 7 === 0 ? "tap" : "network",
          name: `GET /items/${index}`,
          bytes: index
        })
      )
      lines.push(stepLine(many - 2, "Pay", "failed", { message: "no button" }), stepLine(many - 1, "Leave", "skipped"))
      const run = yield* recordedRun(account, [packed(eventsOf(lines))], {
        status: "failed",
        durationMs: many
      })
      const { complaints, page } = yield* openSignedIn(account, run.traceUrl)
      yield* Effect.promise(async () => {
        const section = page.getByRole("region", { name: /^Events/ })
        const list = section.getByRole("listbox")
        await section.locator(".count", { hasText: /^200,000$/ }).waitFor()
        // The page was made without the later events; its script has now read where the run failed.
        const broken = await settled(page, ({ step }) => step === "Pay")
        assert.strictEqual(broken.event, "3:19.998 step Pay failed")
        const failure = page.getByRole("region", { name: "Failure" })
        await failure.locator("pre", { hasText: "no button" }).waitFor()
        await failure.getByRole("link", { name: "at 3:19.998" }).waitFor()
        await page.locator(".timeline rect.failed").waitFor({ state: "attached" })

        const drawn = () => list.getByRole("option").count()
        assert.isBelow(await drawn(), 100)
        await list.press("Home")
        await settled(page, ({ event }) => event === "0:00.000 tap GET /items/0")
        await page.getByRole("slider", { name: "Moment" }).fill("123456")
        await settled(page, ({ event }) => event === "2:03.456 network GET /items/123456")
        assert.isTrue(await list.getByRole("option", { name: "GET /items/123456" }).isVisible())
        const position = () => list.locator("[aria-current]").getAttribute("aria-posinset")
        assert.strictEqual(await position(), "123457")
        await list.press("PageDown")
        await settled(page, ({ event }) => /items\/1234[67]\d$/.test(event))
        await list.press("End")
        await settled(page, ({ event }) => event === "3:19.999 step Leave skipped")
        assert.strictEqual(await position(), String(many))
        await list.evaluate((one) => one.scrollTo(0, one.scrollHeight / 2))
        await list.getByRole("option", { name: "GET /items/100000", exact: false }).waitFor()
        assert.isBelow(await drawn(), 100)

        await section.getByRole("searchbox").fill("items/77777")
        await section.locator(".count", { hasText: /^1 of 200,000$/ }).waitFor()
        await list.getByRole("option").first().waitFor()
        assert.deepStrictEqual(await list.getByRole("option").allTextContents(), ["1:17.777 tap GET /items/77777 "])
        await section.getByRole("searchbox").fill("")
        await section.getByLabel("Type").selectOption("step")
        await section.locator(".count", { hasText: /^2 of 200,000$/ }).waitFor()
      })
      assert.deepStrictEqual(complaints, [])
    }
  )

  it.effect("of more steps than are read the page shows the first with a note, and the keys work", function* () {
    const account = yield* runAccount
    const lines = Array.from({ length: 500_001 }, (_, t) => `{"t":${t},"type":"step","name":"tap","status":"started"}`)
    const run = yield* recordedRun(account, [packed(eventsOf(lines))])
    const { complaints, page } = yield* openSignedIn(account, run.traceUrl)
    yield* Effect.promise(async () => {
      const events = page.getByRole("region", { name: /^Events/ })
      const steps = page.getByRole("region", { name: /^Steps/ })
      await events.locator(".count", { hasText: /^500,000$/ }).waitFor()
      await events.getByText("Only the first 500,000 are shown.").waitFor()
      await steps.locator(".count", { hasText: /^100,000 and more$/ }).waitFor()
      await steps.getByText("The events have more steps than are shown here.").waitFor()
      await steps.locator("li.step").nth(4999).waitFor({ state: "attached" })
      assert.strictEqual(await steps.locator("li.step").count(), 5000)
      assert.isBelow(await page.locator(".timeline rect").count(), 2000)
      await page.getByRole("slider", { name: "Moment" }).fill("0")
      await page.keyboard.press("j")
      await settled(page, ({ event }) => event === "0:00.001 step tap started")
      await page.getByRole("slider", { name: "Moment" }).fill("499999")
      await settled(page, ({ event }) => event === "8:19.999 step tap started")
    })
    assert.deepStrictEqual(complaints, [])
  })

  it.effect("an unreadable recording is reported in words, and the rest of the page works", function* () {
    const account = yield* runAccount
    const host = yield* TestHost
    const log = { name: "device.log", kind: "log", contentType: "text/plain", bytes: bytes("one\ntwo\n") } as const
    const broken = packed(eventsOf(Array.from({ length: 5000 }, (_, t) => stepLine(t, `step ${t}`, "passed"))))
    const run = yield* recordedRun(account, [{ ...broken, bytes: broken.bytes.slice(0, -40) }, log])
    const made = yield* host.call("POST", `/api/v1/test-runs/${run.id}/shares`, { key: account.key, body: {} })
    const { id, url } = yield* Schema.decodeUnknownEffect(CreateShareLinkResponse)(made.json)
    const { page } = yield* openPage
    const events = page.getByRole("region", { name: /^Events/ })
    yield* Effect.promise(async () => {
      await page.goto(url)
      await events.getByText("The gzip file is incomplete.").waitFor()
      await page.getByRole("region", { name: /^Log/ }).getByRole("option", { name: "two" }).waitFor()
      await page.route("**/recordings/0", (route) => route.abort())
      await page.reload()
      await events.getByText("It can't be reached right now.").waitFor()
      await page.unroute("**/recordings/0")
      // The capability of the page's recordings ends after the page is loaded and before its script uses it.
      await page.route("**/viewer-assets/*", async (route) => {
        await fetch(`${host.url}/api/v1/test-runs/${run.id}/shares/${id}`, {
          method: "DELETE",
          headers: { authorization: `Bearer ${account.key}` }
        })
        await route.continue()
      })
      await page.reload()
      await events.getByText("The link to it expired after an hour").waitFor()
    })
  })

  it.effect("uploaded texts are shown as plain text and break nothing", function* () {
    const account = yield* runAccount
    const hostile = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`
    const turned = "\u202egnp.tac\u202d"
    const long = "W".repeat(16_384)
    const deep = `{"t":7,"type":"deep","name":"deep","value":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
    const run = yield* recordedRun(
      account,
      [
        eventsOf([
          stepLine(0, hostile, hostile, { message: hostile }),
          stepLine(1, turned, turned),
          stepLine(2, long, long, { message: long, [long]: long, ["__proto__"]: { polluted: true } }),
          JSON.stringify({
            t: 3,
            type: hostile,
            name: `a\u0000b\nc`,
            status: turned,
            [hostile]: { [turned]: hostile }
          }),
          long,
          deep
        ]),
        {
          name: `${hostile}.log`,
          kind: "log",
          contentType: "text/html",
          bytes: bytes(`${hostile}\n${turned}\n${long}\n`)
        }
      ],
      { name: hostile, status: "failed", failureMessage: `${hostile}\n${turned}\n${long.slice(0, 16_000)}` }
    )
    const { complaints, page } = yield* openSignedIn(account, run.traceUrl)
    yield* Effect.promise(async () => {
      const list = page.getByRole("region", { name: /^Events/ }).getByRole("listbox")
      await list.getByRole("option").nth(5).waitFor()
      for (let line = 0; line < 6; line += 1) {
        await list.press(line === 0 ? "Home" : "ArrowDown")
        await list.locator(`[aria-current][aria-posinset="${line + 1}"]`).waitFor()
      }
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.isAtMost(wide, width)
      }
      assert.match(await page.title(), /^Failed: <img src=x/)
      assert.strictEqual(await page.locator('img[src="x"]').count(), 0)
      const rows = await list.getByRole("option").allTextContents()
      assert.isTrue(rows.some((row) => row.includes("<img src=x")))
      assert.isFalse(await page.evaluate(() => "polluted" in {}))
    })
    assert.deepStrictEqual(complaints, [])
  })
})

const playingEngines = embedded()

const logOf = (name: string, lines: ReadonlyArray<string>): Recording => ({
  name,
  kind: "log",
  contentType: "text/plain",
  bytes: bytes(`${lines.join("\n")}\n`)
})

layer(Layer.merge(TestHost.layer(playingEngines), Chromium.layer))("a trace played", (it) => {
  it.effect("jumps to a selected moment while it plays, and continues from there", function* () {
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

  it.effect("can be used with the keyboard: one tab stop for the steps, and arrows from line to line", function* () {
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

  it.effect(
    "has the logs of a test runner and of its device in the order of their times, without colours",
    function* () {
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
    }
  )

  it.effect("it plays in sync with the video, and pauses", function* () {
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

  it.effect(
    "several videos follow one clock, each from when it began, and one that can't be played has a note",
    function* () {
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
    }
  )

  it.effect("two runs play on one clock, with their differences in words", function* () {
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
      // At any size of the window, the outlines are in the coordinates of the picture, which its box may be wider than.
      for (const [width, height] of [
        [1280, 800],
        [1366, 768],
        [1440, 900]
      ] as const) {
        await page.setViewportSize({ width, height })
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
        const off = await page.evaluate(() =>
          Array.from(document.querySelectorAll(".side .differences"), (drawing) => {
            const screens = [...(drawing.parentElement?.querySelectorAll<HTMLImageElement>(".shot img") ?? [])]
            const picture = screens.find(({ offsetHeight }) => offsetHeight > 0)
            if (!picture) return Infinity
            const [box, drawn] = [picture.getBoundingClientRect(), drawing.getBoundingClientRect()]
            const shown = Math.min(box.width, (box.height * picture.naturalWidth) / picture.naturalHeight)
            const left = box.left + (box.width - shown) / 2
            return Math.max(...[drawn.left - left, drawn.width - shown, drawn.top - box.top].map(Math.abs))
          })
        )
        assert.lengthOf(off, 2)
        assert.isBelow(Math.max(...off), 1, `${width}x${height}`)
      }
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
})
