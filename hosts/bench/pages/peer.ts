/**
 * The second part of `npm run bench:pages` opens the page of a run and Playwright's trace viewer alternately in one Chromium, each with
 * an empty cache. Both show the same failed test of the demo's app. It prints the first contentful paint, when the screen of the
 * first step is shown after a click as early as possible, and what the servers sent. The viewer's files are compressed, as a CDN does.
 */
import Table from "cli-table3"
import { Effect } from "effect"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { connect, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { chromium, type Page } from "playwright-core"
import { createClient } from "../../client/index.ts"
import { bundleApp } from "../../demo/bundle.ts"
import { uploadPreview } from "../../demo/ci.ts"
import { NotSeen, openPhone, screen, serve, tests } from "../../demo/record/phone.ts"
import { cookieOf, startSlipway } from "../peers/slipway.ts"
import { bundledIn, quantile } from "../program.ts"
import { owner, repo } from "../repository.ts"

const rounds = 7
const test = "feet-failed"
const goals = { time: 0.7, bytes: 0.3 }

const root = mkdtempSync(join(tmpdir(), "slipway-bench-peer-"))
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
const app = await Effect.runPromise(bundleApp)
const stops: Array<() => unknown> = [() => browser.close(), () => rmSync(root, { recursive: true, force: true })]

const listening = async (server: Server): Promise<string> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  stops.push(() => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`
}

/** A port before a server that counts the bytes which the server sends. */
const counted = async (target: string) => {
  const { hostname, port } = new URL(target)
  const sent = { bytes: 0 }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    far.on("data", ({ length }) => (sent.bytes += length))
    near.pipe(far).pipe(near)
    near.on("error", () => far.destroy())
    far.on("error", () => near.destroy())
  })
  return { url: await listening(server), sent }
}

/** Runs the test, recorded by Playwright; returns its trace. */
const recordTrace = async (): Promise<Buffer> => {
  const path = join(root, "trace.zip")
  const served = await serve(app)
  const context = await browser.newContext({ viewport: screen, hasTouch: true, isMobile: true })
  const { tracing } = context
  await tracing.start({ screenshots: true, snapshots: true })
  const { close, phone } = await openPhone({ newContext: () => Promise.resolve(context) }, served.url)
  for (const [name, act] of tests[test] ?? []) {
    await tracing.group(name)
    const failure: unknown = await act(phone).then(
      () => undefined,
      (error) => error
    )
    await tracing.groupEnd()
    if (failure instanceof NotSeen) break
    if (failure !== undefined) throw failure
  }
  await tracing.stop({ path })
  await close()
  served.close()
  return readFileSync(path)
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".webmanifest": "application/manifest+json",
  ".zip": "application/zip"
}

/** Serves Playwright's trace viewer with a trace. */
const startViewer = async (): Promise<string> => {
  const folder = join(import.meta.dirname, "../../../node_modules/playwright-core/lib/vite/traceViewer")
  const trace = await recordTrace()
  const server = createHttpServer(({ url = "/" }, response) => {
    const path = url.replace(/\?.*/, "")
    try {
      const body = path === "/trace.zip" ? trace : readFileSync(join(folder, path))
      const isCompressed = path === "/trace.zip"
      response.setHeader("content-type", types[extname(path)] ?? "application/octet-stream")
      if (!isCompressed) response.setHeader("content-encoding", "gzip")
      response.end(isCompressed ? body : gzipSync(body))
    } catch {
      response.writeHead(404).end()
    }
  })
  const url = await listening(server)
  return `${url}/index.html?trace=${encodeURIComponent("/trace.zip")}`
}

/** Uploads the run that the demo recorded of the test; returns its page. */
const startOurs = async () => {
  const { key, stop, url } = await startSlipway(await bundledIn(root), root, {})
  stops.unshift(stop)
  const client = createClient({ url, key })
  const { preview, recorded } = await uploadPreview(client, app, { folder: test, git: {} })
  const { traceUrl } = await client.testRuns.register({
    owner,
    repo,
    previewShareId: preview.shareId,
    kind: "maestro",
    name: "Lengths in feet",
    status: "failed",
    durationMs: recorded.durationMs,
    ...(recorded.failedStepIndex === undefined ? {} : { failedStepIndex: recorded.failedStepIndex }),
    ...(recorded.failureMessage === undefined ? {} : { failureMessage: recorded.failureMessage })
  })
  return { url: traceUrl, cookie: await cookieOf(url, key) }
}

/** What is measured of a page once, times in milliseconds since the navigation began. */
interface Measured {
  readonly paint: number
  readonly interaction: number
  readonly bytes: number
}

/** A page that shows the test. Without a browser's cache, `open` resolves when a click on the first step shows its screen. */
interface Side {
  readonly url: string
  readonly cookie?: string
  readonly clicked: (page: Page) => Promise<void>
}

const sides: Readonly<Record<"ours" | "theirs", Side>> = {
  ours: {
    ...(await startOurs()),
    clicked: async (page) => {
      // Before its script has begun, a click only opens the step.
      await page.locator(".transport .play").waitFor()
      await page.locator(".step summary").first().click()
      await page.waitForFunction(
        () =>
          document.querySelector('.step[aria-current="step"]') === document.querySelector(".step") &&
          Array.from(document.querySelectorAll("video")).every(({ readyState, seeking }) => readyState >= 2 && !seeking)
      )
    }
  },
  theirs: {
    url: await startViewer(),
    clicked: async (page) => {
      await page.locator(".action-title").first().click()
      await page.frameLocator("iframe.snapshot-visible").locator("body").waitFor()
    }
  }
}

const measured = { ours: new Array<Measured>(), theirs: new Array<Measured>() }
for (let round = 0; round <= rounds; round += 1) {
  for (const side of ["ours", "theirs"] as const) {
    const { clicked, cookie, url } = sides[side]
    const { sent, url: near } = await counted(url)
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const [name = "", value = ""] = cookie?.split("=") ?? []
    if (name !== "") await context.addCookies([{ name, value, url: near }])
    const page = await context.newPage()
    await page.goto(near + new URL(url).pathname + new URL(url).search, { waitUntil: "commit" })
    await clicked(page)
    const interaction = await page.evaluate(() => performance.now())
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN)
    await page.waitForLoadState("networkidle")
    // The first round warms up and doesn't count.
    if (round > 0) measured[side].push({ paint, interaction, bytes: sent.bytes })
    await context.close()
  }
}
for (const stop of stops) await stop()

const table = new Table({
  head: ["a failed test of seven steps", "Slipway", "Playwright's trace viewer", "ratio", "goal"],
  colAligns: ["left", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true }
})
const row = (name: string, of: (one: Measured) => number, goal: number, digits: number) => {
  const [ours, theirs] = [quantile(measured.ours.map(of)), quantile(measured.theirs.map(of))]
  table.push([name, ours.toFixed(digits), theirs.toFixed(digits), (ours / theirs).toFixed(2), `≤ ${goal}`])
}
row("first contentful paint, ms", ({ paint }) => paint, goals.time, 0)
row("the first step's screen after a click, ms", ({ interaction }) => interaction, goals.time, 0)
row("both, ms", ({ interaction, paint }) => paint + interaction, goals.time, 0)
row("transferred, kB", ({ bytes }) => bytes / 1000, goals.bytes, 1)
console.log(table.toString())
