import { markOf } from "./stepText.ts"
import type { Mark } from "./stepText.ts"
import type { Step } from "./steps.ts"

/** How wide a timeline is drawn, whatever it is stretched to; and how high one row of it is. */
export const timelineWidth = 1000
export const rowHeight = 10

/** How many rows of nested steps a timeline has at most, and how many steps are drawn on it. */
const mostRows = 3
export const mostBars = 2000

/** A step as it is drawn on a timeline. */
export interface Bar {
  readonly step: Step
  readonly mark: Mark
  readonly x: number
  readonly width: number
  readonly row: number
}

/** Where a time stands on a timeline of a length. */
export const placeOf = (t: number, length: number): number =>
  length <= 0 ? 0 : (Math.min(Math.max(t, 0), length) / length) * timelineWidth

/** Steps on a timeline; none is too short to be seen. A step that never ended goes on to the end. */
export const barsOf = (steps: ReadonlyArray<Step>, length: number): ReadonlyArray<Bar> =>
  steps.slice(0, mostBars).map((step) => {
    const x = placeOf(step.from, length)
    const width = Math.max(placeOf(step.to ?? length, length) - x, 3)
    return {
      step,
      mark: markOf(step),
      x: Math.round(Math.min(x, timelineWidth - width) * 10) / 10,
      width: Math.round(width * 10) / 10,
      row: Math.min(Math.floor(step.depth), mostRows - 1)
    }
  })

/** How many rows a timeline of these steps has. */
export const rowsOf = (bars: ReadonlyArray<Bar>): number => bars.reduce((rows, { row }) => Math.max(rows, row + 1), 1)
