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

/** What axe finds wrong with a page, in words: by its rules, and in what is too small to be hit. Frames aren't looked into. */
export const violations = (page: Page) => found(page, { rules: { "target-size": { enabled: true } } })

/** What it finds wrong with the colours alone. */
export const paleness = (page: Page) => found(page, { runOnly: ["color-contrast", "link-in-text-block"] })
