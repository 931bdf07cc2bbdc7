import axe from "axe-core"
import type { Page } from "playwright-core"

declare global {
  var axe: { readonly run: (options: axe.RunOptions) => Promise<Pick<axe.AxeResults, "violations">> }
}

const found = async (page: Page, options: axe.RunOptions): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate((asked) => globalThis.axe.run(asked), {
    iframes: false,
    resultTypes: ["violations" as const],
    ...options
  })
  return violations.flatMap(({ help, id, nodes }) => nodes.map(({ target }) => `${id}: ${help}: ${target.join(" ")}`))
}

/**
 * The accessibility faults that axe finds on a page, in words, including targets that are too small. Frames are not
 * examined.
 */
export const violations = (page: Page) => found(page, { rules: { "target-size": { enabled: true } } })

/** The faults of the colours only. */
export const paleness = (page: Page) => found(page, { runOnly: ["color-contrast", "link-in-text-block"] })
