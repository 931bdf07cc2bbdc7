/** `node hosts/demo/record/main.ts`: runs the tests of the demo's app in a browser, and keeps what they leave behind. */
import { Effect, Schema } from "effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Browser, chromium } from "playwright-core"
import { bundleApp } from "../bundle.ts"
import { RecordedRun, recordingsFolder } from "../ci.ts"
import { type Frame, NotSeen, openPhone, screen, serve, tests, type TestStep } from "./phone.ts"

/** The video is smaller than the screen, as it is to be downloaded with the source. */
const picture = { width: Math.round(screen.width * 0.8), height: Math.round(screen.height * 0.8) }
const bitsPerSecond = 220_000

/** Makes a video of frames, in a browser as it has a recorder: it takes as long as the video does. */
const filmOf = async (browser: Browser, frames: ReadonlyArray<Frame>, length: number): Promise<Uint8Array> => {
  const page = await browser.newPage()
  const base64 = await page.evaluate(
    async ({ bitsPerSecond, frames, length, picture }) => {
      const drawn = await Promise.all(
        frames.map(async ({ jpeg, t }) => {
          const bytes = Uint8Array.from(atob(jpeg), (one) => one.charCodeAt(0))
          return { t, image: await createImageBitmap(new Blob([bytes], { type: "image/jpeg" })) }
        })
      )
      const canvas = document.createElement("canvas")
      Object.assign(canvas, picture)
      const context = canvas.getContext("2d")
      if (context === null) throw new Error("there is nothing to draw on")
      context.fillStyle = "#fff"
      context.fillRect(0, 0, picture.width, picture.height)
      const recorder = new MediaRecorder(canvas.captureStream(25), {
        mimeType: "video/webm;codecs=vp9",
        videoBitsPerSecond: bitsPerSecond
      })
      const chunks: Array<Blob> = []
      recorder.ondataavailable = ({ data }) => chunks.push(data)
      const stopped = new Promise((resolve) => {
        recorder.onstop = resolve
      })
      recorder.start()
      const began = performance.now()
      await new Promise<void>((resolve) => {
        const draw = () => {
          const t = performance.now() - began
          const frame = drawn.findLast((one) => one.t <= t)
          // Drawn again though nothing moved, as a recorder only keeps what is drawn.
          if (frame !== undefined) context.drawImage(frame.image, 0, 0, picture.width, picture.height)
          if (t < length) requestAnimationFrame(draw)
          else resolve()
        }
        draw()
      })
      recorder.stop()
      await stopped
      const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
      return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""))
    },
    { bitsPerSecond, frames, length, picture }
  )
  await page.close()
  return new Uint8Array(Buffer.from(base64, "base64"))
}

/** Runs a test and keeps its recordings, and a word on each, in its folder. */
const record = async (browser: Browser, url: string, name: string, steps: ReadonlyArray<TestStep>): Promise<void> => {
  const { close, event, events, frames, lines, log, now, phone, shots } = await openPhone(browser, url)
  let failed: { readonly index: number; readonly message: string } | undefined
  log("INFO", `Running ${name}`)
  for (const [index, [step, act, command]] of steps.entries()) {
    if (failed !== undefined) {
      event({ type: "step", name: step, status: "skipped", command })
      continue
    }
    event({ type: "step", name: step, status: "started" })
    log("INFO", `${step} …`)
    try {
      await act(phone)
      event({ type: "step", name: step, status: "passed", command })
      log("INFO", `${step} passed`)
    } catch (error) {
      if (!(error instanceof NotSeen)) throw error
      failed = { index, message: error.message }
      event({ type: "step", name: step, status: "failed", message: error.message, command })
      log("ERROR", `${step} failed\n  ${error.message.split("\n")[0]}`)
    }
  }
  log("INFO", failed === undefined ? "Passed" : "Failed")
  const durationMs = now()
  await close()

  const run: RecordedRun = {
    durationMs,
    stepCount: steps.length,
    ...(failed === undefined ? {} : { failedStepIndex: failed.index, failureMessage: failed.message }),
    recordings: [
      { name: "screen.webm", kind: "video", contentType: "video/webm", startedAtMs: 0 },
      ...shots.map(({ name, t }) => ({
        name: `${name}.jpg`,
        kind: "screenshot" as const,
        contentType: "image/jpeg",
        startedAtMs: t
      })),
      { name: "events.jsonl", kind: "events", contentType: "application/x-ndjson", startedAtMs: 0 },
      { name: "test.log", kind: "log", contentType: "text/plain; charset=utf-8", startedAtMs: 0 }
    ]
  }
  const folder = join(recordingsFolder, name)
  const write = (file: string, content: string | Uint8Array) => writeFileSync(join(folder, file), content)
  mkdirSync(folder, { recursive: true })
  write("run.json", `${JSON.stringify(Schema.encodeSync(RecordedRun)(run), undefined, 2)}\n`)
  write("events.jsonl", `${events.join("\n")}\n`)
  write("test.log", `${lines.join("\n")}\n`)
  for (const { bytes, name } of shots) write(`${name}.jpg`, bytes)
  const film = await filmOf(browser, frames, durationMs)
  write("screen.webm", film)
  console.log(
    `${name}: ${failed === undefined ? "passed" : "failed"} in ${durationMs} ms, ${film.byteLength} bytes of video`
  )
}

const { close, url } = await serve(await Effect.runPromise(bundleApp))
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
const [, , ...chosen] = process.argv
for (const [name, steps] of Object.entries(tests)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  rmSync(join(recordingsFolder, name), { recursive: true, force: true })
  await record(browser, url, name, steps)
}
await browser.close()
close()
