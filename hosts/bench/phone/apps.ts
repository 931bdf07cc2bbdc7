/**
 * `npm run bench:apps [-- --shots FOLDER] [NAME...]`: opens each open-source app whose bundle is there in a Chromium, uses it, and writes the
 * table of `hosts/phone/README.md`. `hosts/phone/fixtures/makeOpenApps.ts --all` makes the bundles.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { chromium, type Page } from "playwright-core"
import { openApps, type OpenApp } from "../../phone/fixtures/openApps.ts"
import { fixtureFile, readFixture } from "../../phone/fixtures/readFixture.ts"
import { appAt, serve } from "../../phone/testing/pages.ts"
import { bundles } from "../../viewer/ui/bundles.ts"
import { crawl, type Crawled } from "./crawl.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { shots: { type: "string" } } })
const limits = { presses: 12, reloads: 2, startMillis: 60_000 }

const { lottie, phone, sqlite } = (await bundles()).scripts
/** In a function of its own, as the viewer sends it: minified scripts have the same names. */
const own = (script: string): string => `(() => {"use strict";${script}\n})()`
const lazy = { sqlite: own(sqlite), lottie: own(lottie) }
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
const { shots } = values
if (shots !== undefined) mkdirSync(shots, { recursive: true })

const results = new Map<string, Crawled>()
try {
  for (const { name } of openApps) {
    const file = fixtureFile(`open-${name}`)
    const isWanted = positionals.length === 0 || positionals.includes(name)
    if (!isWanted || !existsSync(file)) continue
    const { stop, url } = await serve(new Map(appAt("/app", readFixture(file), phone, lazy)))
    const picture =
      shots === undefined
        ? undefined
        : (page: Page, screen: number) => page.screenshot({ path: join(shots, `${name}-${screen}.png`) })
    try {
      const result = await crawl(browser, `${url}/app/`, limits, picture)
      results.set(name, result)
      console.log(name, JSON.stringify(result))
    } finally {
      stop()
    }
  }
} finally {
  await browser.close()
}

/** A list of at most three names, without the prefix that Expo puts before them. */
const few = (names: ReadonlyArray<string>): string => {
  const short = names.map((name) => name.replace(/^ViewManagerAdapter_/, ""))
  return short.length === 0
    ? "none"
    : short.slice(0, 3).join(", ") + (short.length > 3 ? ` and ${short.length - 3} more` : "")
}

const rowOf = ({ name, package: published, task, version }: OpenApp): string => {
  const result = results.get(name)
  const cells = [`${name}: ${published} ${version}`]
  if (result === undefined) cells.push("not tested", "", "", "", "", "")
  else if (result.obstacle !== undefined)
    cells.push(`no: ${result.obstacle}`, "", few(result.errors), few(result.boxes), "", "")
  else {
    cells.push("yes", `${result.screens}`, few(result.errors), few(result.boxes), `${result.firstFrameMillis ?? ""} ms`)
    cells.push(task ?? "")
  }
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
}

const started = openApps.filter(({ name }) => results.has(name) && results.get(name)?.obstacle === undefined)
const table = [
  `Of ${openApps.length} apps, ${results.size} were tested on ${new Date().toISOString().slice(0, 10)}: ${started.length} start, and the tests do a task in ${started.filter(({ task }) => task !== undefined).length} of them. The others don't start, or are templates with nothing to do.`,
  "",
  "| app | starts | screens | errors | labelled boxes | first frame | task |",
  "| --- | --- | --- | --- | --- | --- | --- |",
  ...openApps.map(rowOf)
].join("\n")

// A part of the list has no table.
if (positionals.length > 0) console.log(table)
else {
  const page = new URL("../../phone/README.md", import.meta.url)
  const [before = "", after = ""] = readFileSync(page, "utf8").split(
    /(?<=<!-- open-apps -->\n)[^]*(?=<!-- \/open-apps -->)/
  )
  writeFileSync(page, `${before}${table}\n${after}`)
}
