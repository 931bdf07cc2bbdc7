/**
 * `npm run bench:apps [-- --shots FOLDER] [NAME...]`: opens each open-source app whose bundle is there in a Chromium, uses it, and writes the
 * table of `docs/replay.md`. `hosts/phone/fixtures/makeOpenApps.ts --all` makes the bundles.
 */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { chromium } from "playwright-core"
import { openApps } from "../../phone/fixtures/openApps.ts"
import { fixtureFolder, readFixture } from "../../phone/fixtures/readFixture.ts"
import { appAt, serve } from "../../phone/testing/pages.ts"
import { bundles } from "../../viewer/ui/bundles.ts"
import { crawl, type Crawled } from "./crawl.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { shots: { type: "string" } } })
const limits = { presses: 24, reloads: 4, startMillis: 20_000 }

const phone = (await bundles()).scripts.phone
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
const { shots } = values
if (shots !== undefined) mkdirSync(shots, { recursive: true })

const results = new Map<string, Crawled>()
try {
  for (const { name } of openApps) {
    const folder = fixtureFolder(`open-${name}`)
    const isWanted = positionals.length === 0 || positionals.includes(name)
    if (!isWanted || !existsSync(join(folder, "main.jsbundle.gz"))) continue
    const { stop, url } = await serve(new Map(appAt("/app", readFixture(folder), phone)))
    const picture = shots === undefined ? undefined : (page: import("playwright-core").Page, index: number) => page.screenshot({ path: join(shots, `${name}-${index}.png`) })
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
