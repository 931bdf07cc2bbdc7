/**
 * The second half of `npm run bench:pages`: what it costs to replay a phone's own bundle, and how true it is, in a Chromium. `--speed` is how
 * fast the list is scrolled, in points a second; `--shots FOLDER` keeps the pictures that are compared.
 */
import Table from "cli-table3"
import { Effect } from "effect"
import { build } from "esbuild"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { type Browser, chromium, type Page } from "playwright-core"
import { bundleApp } from "../../demo/bundle.ts"
import { fixtureFile, readFixture } from "../../phone/fixtures/readFixture.ts"
import { compareTrees } from "../../phone/testing/compareTrees.ts"
import { appAt, serve } from "../../phone/testing/pages.ts"
import { bundles } from "../../viewer/ui/bundles.ts"

/**
 * How long it is from when the bundle has come to when something of the app is on the screen, in milliseconds: what the
 * browser itself says of both.
 */
const firstFrame = async (browser: Browser, url: string): Promise<number> => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  try {
    await page.goto(url)
    await page.getByText("Kilvarra Harbour").waitFor()
    return await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const tell = () => {
            const painted = performance.getEntriesByName("first-contentful-paint")[0]
            const bundle = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/index.js"))
            if (painted === undefined || !(bundle instanceof PerformanceResourceTiming)) requestAnimationFrame(tell)
            else resolve(painted.startTime - bundle.responseEnd)
          }
          tell()
        })
    )
  } finally {
    await page.close()
  }
}

/** How much a colour may differ until it is seen: of 255, in any channel. */
const visible = 32

/** The screens of the demo's app, and what leads to each from the one before it. */
const screens: ReadonlyArray<readonly [name: string, lead: (page: Page) => Promise<void>]> = [
  ["slips", async (page) => page.getByText("Corncrake").first().waitFor()],
  [
    "a slip",
    async (page) => {
      await page.locator("[data-testid^=slip-]").first().click()
      await page.getByText("Check out").first().waitFor()
    }
  ],
  ["gate", async (page) => page.getByTestId("tab-gate").click()],
  [
    "gate, counted",
    async (page) => {
      for (let count = 0; count < 7; count += 1) await page.getByTestId("count-up").click()
    }
  ],
  ["settings", async (page) => page.getByTestId("tab-settings").click()],
  ["settings, dark", async (page) => page.getByText("Dark", { exact: true }).click()],
  ["slips, dark", async (page) => page.getByTestId("tab-slips").click()]
]

/** Pictures of each screen, as data URLs. */
const shots = async (browser: Browser, url: string): Promise<ReadonlyArray<string>> => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 })
  try {
    await page.goto(url)
    const taken: Array<string> = []
    for (const [, lead] of screens) {
      await lead(page)
      await page.mouse.move(0, 0)
      await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"))
      for (let frame = 0; frame < 3; frame += 1) await page.evaluate(() => new Promise(requestAnimationFrame))
      taken.push(`data:image/png;base64,${(await page.screenshot({ animations: "disabled" })).toString("base64")}`)
    }
    return taken
  } finally {
    await page.close()
  }
}

/** How much of each screen differs visibly between two ways to run the demo's app, from 0 to 1. */
export const differences = async (browser: Browser, urls: readonly [native: string, web: string]) => {
  const [native, web] = [await shots(browser, urls[0]), await shots(browser, urls[1])]
  const page = await browser.newPage()
  try {
    return await Promise.all(
      screens.map(async ([name], index) => ({
        name,
        native: native[index] ?? "",
        web: web[index] ?? "",
        differing: await page.evaluate(
          async ({ pair, visible }) => {
            const pixels = await Promise.all(
              pair.map(async (url) => {
                const bitmap = await createImageBitmap(await (await fetch(url)).blob())
                const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
                const context = canvas.getContext("2d")
                context?.drawImage(bitmap, 0, 0)
                return context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? new Uint8ClampedArray()
              })
            )
            const [one = new Uint8ClampedArray(), other = new Uint8ClampedArray()] = pixels
            let count = 0
            for (let at = 0; at < one.length; at += 4) {
              const isSeen = [0, 1, 2].some((channel) => {
                const [a = 0, b = 0] = [one[at + channel], other[at + channel]]
                return Math.abs(a - b) > visible
              })
              if (isSeen) count += 1
            }
            return (count * 4) / one.length
          },
          { pair: [native[index] ?? "", web[index] ?? ""], visible }
        )
      }))
    )
  } finally {
    await page.close()
  }
}

// The tour's list of 10,000 rows for those that the phone is measured beside, in the same run.

const stations = join(import.meta.dirname, "..", "..", "phone", "fixtures", "apps", "tour")

/** The same list by react-native-web. */
const rowsForTheWeb = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { AppRegistry } from "react-native"
        import { ListStation } from "./lists.jsx"
        AppRegistry.registerComponent("Rows", () => ListStation)
        AppRegistry.runApplication("Rows", { rootTag: document.getElementById("root") })`,
      resolveDir: stations,
      loader: "jsx"
    },
    alias: { "react-native": "react-native-web" },
    bundle: true,
    define: { "process.env.NODE_ENV": '"production"' },
    format: "iife",
    jsx: "automatic",
    minify: true,
    write: false
  })
  return outputFiles[0]?.text ?? ""
}

/** All of the rows as elements of the browser's own, which exists immediately and is never redrawn. */
const plainRows = `
const list = document.createElement("div")
list.dataset.testid = "list"
list.style.cssText = "flex: 1; overflow-y: auto"
for (let at = 0; at < 10000; at++) {
  const row = document.createElement("div")
  row.dataset.testid = "row-" + at
  row.style.cssText = "height: 44px; padding: 0 16px; display: flex; align-items: center; justify-content: space-between; border-bottom: 1px solid #c8ccd0; box-sizing: border-box; font: 14px sans-serif"
  row.innerHTML = "<span>Row " + at + "</span><span>›</span>"
  list.append(row)
}
document.getElementById("root").append(list)
`

/** How a list scrolled. */
interface Scrolled {
  readonly framesPerSecond: number
  /** The longest that a place of the list showed no row, in milliseconds. */
  readonly longestBlank: number
  readonly seconds: number
  /** The part of that time in which the page was busy, by the processor: how much there is left, whatever else runs here. */
  readonly busy: number
}

/** Scrolls through all of the 10,000 rows of an app, at so many points a second, and looks at each frame. */
const scrollThroughRows = async (browser: Browser, url: string, speed: number): Promise<Scrolled> => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  try {
    await page.goto(url)
    // The phone has the whole tour, whose list is one of its stations.
    const [station, first] = [page.getByTestId("station-list"), page.getByTestId("row-0")]
    await station.or(first).waitFor()
    if (await station.isVisible()) await station.click()
    await first.waitFor()
    const session = await page.context().newCDPSession(page)
    await session.send("Performance.enable", { timeDomain: "threadTicks" })
    const worked = async () => {
      const { metrics } = await session.send("Performance.getMetrics")
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN
    }
    const before = await worked()
    const scrolled = await page.getByTestId("list").evaluate(
      (list, speed) =>
        new Promise<Omit<Scrolled, "busy">>((resolve) => {
          const { bottom, left, top } = list.getBoundingClientRect()
          const places = Array.from({ length: 12 }, (_, index) => top + ((index + 0.5) * (bottom - top)) / 12)
          const isRow = (y: number) =>
            document.elementFromPoint(left + 40, y)?.closest("[data-testid^=row-], [data-testid=footer]") !== null
          const blankSince = places.map(() => Number.NaN)
          const began = performance.now()
          let [frames, longestBlank] = [0, 0]
          const step = (now: number) => {
            frames += 1
            for (const [index, y] of places.entries()) {
              if (isRow(y)) blankSince[index] = Number.NaN
              else if (Number.isNaN(blankSince[index])) blankSince[index] = now
              else longestBlank = Math.max(longestBlank, now - (blankSince[index] ?? now))
            }
            const end = list.scrollHeight - list.clientHeight
            if (list.scrollTop >= end - 1) {
              const seconds = (now - began) / 1000
              resolve({ framesPerSecond: frames / seconds, longestBlank, seconds })
              return
            }
            list.scrollTop = Math.min(end, ((now - began) / 1000) * speed)
            requestAnimationFrame(step)
          }
          requestAnimationFrame(step)
        }),
      speed
    )
    return { ...scrolled, busy: ((await worked()) - before) / scrolled.seconds }
  } finally {
    await page.close()
  }
}

const { values } = parseArgs({
  options: {
    speed: { type: "string", default: "4000" },
    shots: { type: "string" },
    trees: { type: "string", default: "400" }
  }
})
const rounds = 9

const middle = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

const phone = await (await bundles()).scripts.phone.text()
const { stop, url } = await serve(
  new Map([
    ...appAt("/native", readFixture(join(import.meta.dirname, "..", "..", "demo", "native.zip")), { phone }),
    ...appAt("/web", await Effect.runPromise(bundleApp)),
    ...appAt("/tour", readFixture(fixtureFile("tour-0.86")), { phone }),
    ...appAt("/web-rows", { bundle: await rowsForTheWeb(), files: [] }),
    ...appAt("/plain-rows", { bundle: plainRows, files: [] })
  ])
)
const start = (...switches: ReadonlyArray<string>) =>
  chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", ...switches]
  })
const browser = await start()
// Yoga is configured with two pixels a point, as on phones.
const dense = await start("--force-device-scale-factor=2")

const table = new Table({ head: ["", "measured", "wanted"], style: { head: [], border: [], compact: true } })
const kilobytes = (text: string) => `${(gzipSync(text, { level: 9 }).byteLength / 1000).toFixed(1)} kB`
try {
  table.push(["the phone's script with Yoga, gzipped", kilobytes(phone), "120 kB at most"])

  const frames = { native: new Array<number>(), web: new Array<number>() }
  for (let round = 0; round <= rounds; round += 1) {
    const [native, web] = [await firstFrame(browser, `${url}/native/`), await firstFrame(browser, `${url}/web/`)]
    // The first round warms up.
    if (round > 0) {
      frames.native.push(native)
      frames.web.push(web)
    }
  }
  const [native, web] = [middle(frames.native), middle(frames.web)]
  table.push([
    "first frame of the demo app, native beside web",
    `${native.toFixed(0)} ms, ${web.toFixed(0)} ms: ${(native / web).toFixed(2)} ×`,
    "1.5 × at most"
  ])

  const ways = { "the phone": "/tour/", "react-native-web": "/web-rows/", "plain elements": "/plain-rows/" }
  for (const [way, path] of Object.entries(ways)) {
    const { busy, framesPerSecond, longestBlank, seconds } = await scrollThroughRows(
      browser,
      `${url}${path}`,
      Number(values.speed)
    )
    table.push([
      `10,000 rows at ${values.speed} points a second, ${seconds.toFixed(0)} s, by ${way}`,
      `${framesPerSecond.toFixed(0)} frames a second, blank for ${longestBlank.toFixed(0)} ms at most; ${((busy / framesPerSecond) * 1000).toFixed(1)} ms of work a frame`,
      path === "/tour/" ? "50 at least, 100 ms at most" : ""
    ])
  }

  // The screen as the browser was started for it: where it is emulated, borders are of whole points.
  const page = await dense.newPage({ viewport: null })
  const compared = await compareTrees(page, Number(values.trees))
  for (const [way, { nodes, off, texts }] of Object.entries(compared)) {
    table.push([
      `layout of ${values.trees} random trees, ${way}, beside Yoga alone`,
      `${off.length} of ${nodes} components off, ${texts} of them texts`,
      "0 by more than half a pixel"
    ])
    for (const one of off.slice(0, 10)) console.error(one)
  }

  for (const { differing, name, native: one, web: other } of await differences(browser, [
    `${url}/native/`,
    `${url}/web/`
  ])) {
    table.push([`pixels of the demo's ${name} that differ`, `${(differing * 100).toFixed(2)} %`, "2 % at most"])
    if (values.shots === undefined) continue
    mkdirSync(values.shots, { recursive: true })
    for (const [way, picture] of [
      ["native", one],
      ["web", other]
    ] as const) {
      writeFileSync(
        join(values.shots, `${name} ${way}.png`),
        Buffer.from(picture.slice(picture.indexOf(",") + 1), "base64")
      )
    }
  }
} finally {
  await browser.close()
  await dense.close()
  stop()
}
console.log(table.toString())
