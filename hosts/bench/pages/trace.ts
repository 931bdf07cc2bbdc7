/**
 * The first part of `npm run bench:pages` opens a trace of 200,000 events in a Chromium. It prints when something is first visible, when every
 * event is in the list, and the longest task of the page: while it reads the events, while the scrubber is dragged from one end
 * to the other, and during a search.
 */
import Table from "cli-table3"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { chromium, type Browser, type Page } from "playwright-core"
import { createClient } from "../../client/index.ts"
import { sha256, startSlipway, type Side } from "../peers/slipway.ts"
import { bundledIn } from "../program.ts"
import { owner, repo } from "../repository.ts"

const many = 200_000
const dragSteps = 200

/** Events like those of a test of ten minutes: requests and taps, and a step every second. */
const events = (): Uint8Array<ArrayBuffer> => {
  const lines = Array.from({ length: many }, (_, index) => {
    const t = index * 3
    return index % 333 === 0
      ? JSON.stringify({ t, type: "step", name: `step ${index / 333}`, status: "passed", durationMs: 900 })
      : JSON.stringify({ t, type: "network", name: `GET /items/${index}`, status: "200", bytes: index, from: "cache" })
  })
  return new Uint8Array(gzipSync(lines.join("\n")))
}

/** Uploads the events and registers a run with them; answers the URL of its trace. */
const upload = async ({ key, url }: Side): Promise<string> => {
  const client = createClient({ url, key })
  const bundle = new TextEncoder().encode("0")
  const recorded = events()
  const { shareId, slots, token } = await client.previews.reserve({
    contentHash: sha256(bundle),
    bundleSizeBytes: bundle.byteLength,
    bundleContentType: "text/javascript",
    recordings: [
      { name: "events.jsonl.gz", kind: "events", contentType: "application/gzip", sizeBytes: recorded.byteLength }
    ]
  })
  await client.put(slots.bundle, bundle)
  for (const slot of slots.recordings) await client.put(slot, recorded)
  await client.previews.finalize(token)
  const { traceUrl } = await client.testRuns.register({
    owner,
    repo,
    previewShareId: shareId,
    kind: "maestro",
    name: "Ten minutes",
    status: "passed",
    durationMs: many * 3
  })
  return traceUrl
}

interface TraceFile {
  readonly traceEvents: ReadonlyArray<{
    readonly name: string
    readonly pid: number
    readonly tid: number
    readonly dur?: number
    readonly tdur?: number
    readonly args?: { readonly name?: string }
  }>
}

/** The longest task of a page's thread, in milliseconds: by the clock, and by its processor time. */
interface Longest {
  readonly clock: number
  readonly processor: number
}

/** Runs something and returns the longest task of the page's thread meanwhile. */
const longestTask = async (browser: Browser, page: Page, act: () => Promise<void>): Promise<Longest> => {
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] })
  await act()
  const { traceEvents }: TraceFile = JSON.parse((await browser.stopTracing()).toString())
  const threads = new Set(
    traceEvents
      .filter(({ args, name }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}.${tid}`)
  )
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith("RunTask") && threads.has(`${pid}.${tid}`))
  if (tasks.length === 0) throw new Error("the browser reported no task")
  const longest = (of: (task: TraceFile["traceEvents"][number]) => number | undefined): number =>
    tasks.reduce((most, task) => Math.max(most, of(task) ?? 0), 0) / 1000
  return { clock: longest(({ dur }) => dur), processor: longest(({ tdur }) => tdur) }
}

const counted = (page: Page, count: string): Promise<void> =>
  page.locator(".events .count", { hasText: new RegExp(`^${count}$`) }).waitFor()

/** Drags the scrubber from its beginning to its end and back, as fast as frames are drawn. */
const drag = async (page: Page): Promise<void> => {
  const box = await page.getByRole("slider", { name: "Moment" }).boundingBox()
  if (box === null) throw new Error("there is no scrubber")
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + 2, y)
  await page.mouse.down()
  for (const to of [box.x + box.width - 2, box.x + 2]) await page.mouse.move(to, y, { steps: dragSteps })
  await page.mouse.up()
}

const root = mkdtempSync(join(tmpdir(), "slipway-bench-trace-"))
const host = await startSlipway(await bundledIn(root), root, {})
const url = await upload(host)

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
await page.goto(url)
await page.getByLabel("API key").fill(host.key)
await page.getByRole("button", { name: "Sign in" }).click()
await counted(page, "200,000")

// The first visit warmed everything up; this one is measured.
let [firstPaint, complete] = [0, 0]
const reading = await longestTask(browser, page, async () => {
  await page.reload()
  await counted(page, "200,000")
  complete = await page.evaluate(() => performance.now())
  firstPaint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN)
})
const scrubbing = await longestTask(browser, page, () => drag(page))
const searching = await longestTask(browser, page, async () => {
  await page.locator(".events .find").fill("items/1999")
  await counted(page, "[1-9]\\d* of 200,000")
  await page.locator(".events .find").fill("")
  await counted(page, "200,000")
})
await browser.close()
await host.stop()
rmSync(root, { recursive: true, force: true })

const table = new Table({
  head: ["a trace of 200,000 events", "ms", "of them on a processor"],
  colAligns: ["left", "right", "right"],
  style: { head: [], border: [], compact: true }
})
const busy = (what: string, { clock, processor }: Longest) => [
  `longest task while ${what}`,
  clock.toFixed(1),
  processor.toFixed(1)
]
table.push(
  ["first contentful paint", firstPaint.toFixed(0), ""],
  ["every event in the list", complete.toFixed(0), ""],
  busy("it reads", reading),
  busy("scrubbing", scrubbing),
  busy("searching", searching)
)
console.log(table.toString())
