import { markOf, type Mark } from "./stepText.ts"
import { isFailed, type Step } from "./steps.ts"

/** The drawn width of a timeline, which is then stretched, and the height of a row. */
export const timelineWidth = 1000
export const rowHeight = 10

/** How many rows of nested steps a timeline has at most, and about how many steps are drawn on it. */
const mostRows = 3
export const mostBars = 1000

/** The least width of a step's bar; a failed step is wider, because people look for it. */
const narrowest = { failed: 8, any: 3 }

/** A step as it is drawn on a timeline. */
export interface Bar {
  readonly step: Step
  readonly mark: Mark
  readonly x: number
  readonly width: number
  readonly row: number
}

/** The horizontal position of a time on a timeline. */
export const positionOf = (t: number, length: number): number =>
  length <= 0 ? 0 : (Math.min(Math.max(t, 0), length) / length) * timelineWidth

/** An evenly spaced selection from too many items. */
const thinned = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const every = Math.ceil(steps.length / mostBars)
  return every <= 1 ? steps : steps.filter((_, index) => index % every === 0)
}

/**
 * The bars of steps on a timeline, each wide enough to be seen. A step that never ended extends to the end. Failed
 * steps are always included, and drawn above the others.
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

/** Whether there are so many bars that lines between them would hide them. */
export const areMany = (bars: ReadonlyArray<Bar>): boolean => bars.length > 120

/** How many rows a timeline of these steps has. */
export const rowsOf = (bars: ReadonlyArray<Bar>): number => bars.reduce((rows, { row }) => Math.max(rows, row + 1), 1)
