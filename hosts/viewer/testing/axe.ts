import type axe from "axe-core"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

/** A page of any browser: of Playwright or of Puppeteer. */
interface AnyPage {
  readonly evaluate: (script: string) => Promise<unknown>
}

/** Half as long as `axe.source`, which each page parses again. */
const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

const asFaults = Schema.decodeUnknownSync(Schema.Array(Schema.String))

const found = async (page: AnyPage, options: axe.RunOptions): Promise<ReadonlyArray<string>> => {
  if ((await page.evaluate('"axe" in globalThis')) !== true) await page.evaluate(source)
  const asked = JSON.stringify({ iframes: false, resultTypes: ["violations"], ...options })
  return asFaults(
    await page.evaluate(`axe.run(${asked}).then(({ violations }) => violations.flatMap(({ help, id, nodes }) =>
      nodes.map(({ target }) => id + ": " + help + ": " + target.join(" "))))`)
  )
}

/**
 * The accessibility faults that axe finds on a page, in words, including targets that are too small. Frames are not
 * examined.
 */
export const violations = (page: AnyPage) => found(page, { rules: { "target-size": { enabled: true } } })

/** The faults of the colours only. */
export const paleness = (page: AnyPage) => found(page, { runOnly: ["color-contrast", "link-in-text-block"] })

/** How many pixels a page is wider than its window. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

/** The accessibility and layout faults of the open page: narrow and wide, light and dark. */
export const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await overflowOf(page)
    if (overflow > 0) faults.push(`${width}: ${overflow} pixels too wide`)
    faults.push(...(await violations(page)).map((fault) => `${width} light: ${fault}`))
  }
  // A window of 1280 × 800 at 200 % zoom.
  await page.setViewportSize({ width: 640, height: 400 })
  const overflow = await overflowOf(page)
  if (overflow > 0) faults.push(`at 200 % zoom: ${overflow} pixels too wide`)
  await page.setViewportSize({ width: 390, height: 900 })
  // The dark theme differs only in its colours, whatever the width.
  await page.emulateMedia({ colorScheme: "dark" })
  faults.push(...(await paleness(page)).map((fault) => `dark: ${fault}`))
  await page.emulateMedia({ colorScheme: "light" })
  return faults
}
