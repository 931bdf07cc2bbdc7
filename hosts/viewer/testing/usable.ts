import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { violations } from "./axe.ts"

/**
 * Looks at a page on a phone and a desk: nothing sticks out of it, and axe finds no fault. Pictures go to the folder that `SHOTS`
 * names, if it is set.
 */
export const assertUsable = async (page: Page, name: string): Promise<void> => {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    const folder = process.env["SHOTS"]
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${width}.png` })
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), width, `${name} at ${width}`)
    assert.deepStrictEqual(await violations(page), [], `${name} at ${width}`)
  }
}
