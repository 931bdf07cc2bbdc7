import { markOf } from "./stepText.ts"
import type { Mark } from "./stepText.ts"
import { isFailed } from "./steps.ts"
import type { Step } from "./steps.ts"

/** How wide a timeline is drawn, whatever it is stretched to; and how high one row of it is. */
export const timelineWidth = 1000
export const rowHeight = 10

/** How many rows of nested steps a timeline has at most, and about how many steps are drawn on it. */
const mostRows = 3
export const mostBars = 1000

/** How wide the bar of a step is at least: one that went wrong is looked for. */
const narrowest = { failed: 8, any: 3 }

/** A step as it is drawn on a timeline. */
export interface Bar {
  readonly step: Step
  readonly mark: Mark
  readonly x: number
  readonly width: number
  readonly row: number
}

/** Where a time stands on a timeline of a length. */
export const positionOf = (t: number, length: number): number =>
  length <= 0 ? 0 : (Math.min(Math.max(t, 0), length) / length) * timelineWidth

/** Every so many of too many. */
const thinned = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const every = Math.ceil(steps.length / mostBars)
  return every <= 1 ? steps : steps.filter((_, index) => index % every === 0)
}

/**
 * Steps on a timeline; none is too short to be seen. A step that never ended goes on to the end. What went wrong is there
 * however many steps there are, and is drawn above the others.
 */
export const barsOf = (steps: ReadonlyArray<Step>, length: number): ReadonlyArray<Bar> =>
  [...thinned(steps.filter((step) => !isFailed(step))), ...thinned(steps.filter(isFailed))].map((step) => {
    const x = positionOf(step.from, length)
    const mark = markOf(step)
    const width = Math.max(
      positionOf(step.to ?? length, length) - x,
      mark === "failed" ? narrowest.failed : narrowest.any
    )
    return {
      step,
      mark,
      x: Math.round(Math.min(x, timelineWidth - width) * 10) / 10,
      width: Math.round(width * 10) / 10,
      row: Math.min(Math.floor(step.depth), mostRows - 1)
    }
  })

/** Whether bars are so many that lines between them would hide them. */
export const areMany = (bars: ReadonlyArray<Bar>): boolean => bars.length > 120

/** How many rows a timeline of these steps has. */
export const rowsOf = (bars: ReadonlyArray<Bar>): number => bars.reduce((rows, { row }) => Math.max(rows, row + 1), 1)
