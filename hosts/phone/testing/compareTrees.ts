/** Loads `drawnTrees.ts` into a page. */
import { join } from "node:path"
import type { Page } from "playwright-core"
import { bundled } from "./pages.ts"

/** Has an empty page draw so many random trees, and change them; compares where each component is with Yoga alone. */
export const compareTrees = async (page: Page, trees: number): Promise<Compared> => {
  await loadProgram(page, "drawnTrees.ts")
  return page.evaluate((count) => Reflect.get(globalThis, "compareTrees")(count), trees)
}

export interface Compared {
  readonly drawn: Counted
  readonly changed: Counted
}

/** How many components were compared, and those that are off by more than half a pixel: where they are and should be. */
export interface Counted {
  readonly nodes: number
  readonly texts: number
  readonly off: ReadonlyArray<string>
}

/** Has an empty page load one of the programs beside this file, which puts what it does into the global object. */
export const loadProgram = async (page: Page, program: string): Promise<void> => {
  await page.setContent("<!doctype html><meta charset=utf-8><body>")
  await page.evaluate(await bundled(join(import.meta.dirname, program)))
}
