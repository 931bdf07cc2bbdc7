import type { Page } from "playwright-core"
import { loadProgram } from "./inPage.ts"

/** How many components were compared, and those that are off by more than half a pixel: where they are and should be. */
export interface Counted {
  readonly nodes: number
  readonly texts: number
  readonly off: ReadonlyArray<string>
}

export interface Compared {
  readonly drawn: Counted
  readonly changed: Counted
}

/** Has an empty page draw so many random trees, and change them; compares where each component is with Yoga alone. */
export const compareTrees = async (page: Page, trees: number): Promise<Compared> => {
  await loadProgram(page, "drawnTrees.ts")
  return page.evaluate((count) => Reflect.get(globalThis, "compareTrees")(count), trees)
}
