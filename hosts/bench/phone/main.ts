/**
 * The second half of `npm run bench:pages`: what it costs to replay a phone's own bundle, and how true it is, in a Chromium. `--speed` is how
 * fast the list is scrolled, in points a second; `--shots FOLDER` keeps the pictures that are compared.
 */
import Table from "cli-table3"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { chromium } from "playwright-core"
import { bundleApp } from "../../demo/bundle.ts"
import { fixtureFile, readFixture } from "../../phone/fixtures/readFixture.ts"
import { compareTrees } from "../../phone/testing/compareTrees.ts"
import { bundles } from "../../viewer/ui/bundles.ts"
import { firstFrame } from "./firstFrame.ts"
import { appAt, serve } from "../../phone/testing/pages.ts"
import { differences } from "./pixels.ts"
import { plainRows, rowsForTheWeb } from "./rows.ts"
import { scrollThroughRows } from "./scroll.ts"

const { values } = parseArgs({
  options: {
    speed: { type: "string", default: "4000" },
    shots: { type: "string" },
    trees: { type: "string", default: "400" }
  }
})
const rounds = 9

const middle = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

const phone = (await bundles()).scripts.phone
const { stop, url } = await serve(
  new Map([
    ...appAt("/native", readFixture(join(import.meta.dirname, "..", "..", "demo", "native.zip")), phone),
    ...appAt("/web", await Effect.runPromise(bundleApp)),
    ...appAt("/tour", readFixture(fixtureFile("tour-0.86")), phone),
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
