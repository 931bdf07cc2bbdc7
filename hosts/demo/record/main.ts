/** `node hosts/demo/record/main.ts`: runs the tests of the demo's app in a browser, and keeps what they leave behind. */
import { Effect, Schema } from "effect"
import { once } from "node:events"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { chromium, type Browser } from "playwright-core"
import { bundleApp, type BundledApp } from "../bundle.ts"
import { RecordedRun, recordingsFolder } from "../recordedRun.ts"
import { filmOf } from "./film.ts"
import { NotSeen, openPhone } from "./phone.ts"
import { tests, type TestStep } from "./tests.ts"

/** The app by itself, as a phone would have it. */
const serve = async (app: BundledApp) => {
  const document = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>html, body, #root { height: 100%; margin: 0 } #root { display: flex }</style>
<link rel="icon" href="data:,"><div id="root"></div><script src="index.js"></script>`
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").slice(1)
    const file = app.files.find((one) => one.path === path)
    response.setHeader("content-type", path === app.entry ? app.bundleContentType : (file?.contentType ?? "text/html"))
    response.end(path === app.entry ? app.bundle : (file?.bytes ?? document))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/` }
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

const { server, url } = await serve(await Effect.runPromise(bundleApp))
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
rmSync(recordingsFolder, { recursive: true, force: true })
for (const [name, steps] of Object.entries(tests)) await record(browser, url, name, steps)
await browser.close()
server.closeAllConnections()
server.close()
