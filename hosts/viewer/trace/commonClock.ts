import type { Pair } from "./align.ts"
import { lastWithin } from "./lastWithin.ts"

/** A time on each of two runs' own clocks. */
export interface Times {
  readonly left: number
  readonly right: number
}

export type Side = keyof Times

/** A clock that two runs share, and the time of each run on it. */
export interface CommonClock {
  readonly length: number
  /** The time of each run at a time of the clock. A run that waits stands still. */
  readonly at: (t: number) => Times
  /** A time of the clock at which a run has reached its own time `t`. */
  readonly timeOf: (side: Side, t: number) => number
}

/** A part of the clock: when it begins, on this clock and for each run, and how long it lasts for each run. */
interface Part {
  readonly begins: number
  readonly from: Times
  readonly lasts: Times
}

/** When matching steps of two runs begin. Pairs that would turn a clock back are left out. */
export const marksOf = (pairs: ReadonlyArray<Pair>): ReadonlyArray<Times> => {
  const marks: Array<Times> = []
  for (const { left, right } of pairs) {
    const before = marks.at(-1)
    if (left === undefined || right === undefined) continue
    if (before !== undefined && (left.from < before.left || right.from < before.right)) continue
    marks.push({ left: left.from, right: right.from })
  }
  return marks
}

/**
 * A clock on which two runs reach each mark together: the faster one waits for the other. Without marks they only begin
 * together.
 */
export const commonClock = (marks: ReadonlyArray<Times>, lengths: Times): CommonClock => {
  const parts: Array<Part> = []
  let length = 0
  const begin = { left: 0, right: 0 }
  for (const [index, from] of [begin, ...marks].entries()) {
    const until = marks[index] ?? lengths
    const lasts = { left: Math.max(0, until.left - from.left), right: Math.max(0, until.right - from.right) }
    parts.push({ begins: length, from, lasts })
    length += Math.max(lasts.left, lasts.right)
  }
  const first: Part = { begins: 0, from: begin, lasts: begin }
  return {
    length,
    at: (t) => {
      const { begins, from, lasts } = lastWithin(parts, t, (part) => part.begins) ?? first
      const within = Math.max(0, t - begins)
      return { left: from.left + Math.min(within, lasts.left), right: from.right + Math.min(within, lasts.right) }
    },
    timeOf: (side, t) => {
      const { begins, from, lasts } = lastWithin(parts, t, (part) => part.from[side]) ?? first
      return begins + Math.min(Math.max(0, t - from[side]), lasts[side])
    }
  }
}
