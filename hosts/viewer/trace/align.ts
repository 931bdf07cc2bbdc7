/** Which steps of two runs belong together, and one clock for both. */
import { lastWithin, lengthOf } from "./steps.ts"
import type { Step, Times } from "./traceData.ts"

/** A pair of matching steps of two runs, or a step that only one of them has. */
export interface Pair {
  readonly left: Step | undefined
  readonly right: Step | undefined
}

/** How two steps that belong together differ. */
export type Difference = "same" | "only-left" | "only-right" | "status" | "message" | "slower" | "faster"

/** Gives equal names equal numbers, so that comparing long names is as fast as comparing short ones. */
const numbering = (): ((step: Step) => number) => {
  const numbers = new Map<string, number>()
  return ({ name }) => {
    const number = numbers.get(name) ?? numbers.size
    numbers.set(name, number)
    return number
  }
}

/**
 * Matches the longest common subsequence of the steps' names. The steps between are unmatched, the left run's first.
 */
export const alignSteps = (left: ReadonlyArray<Step>, right: ReadonlyArray<Step>): ReadonlyArray<Pair> => {
  const numberOf = numbering()
  const [ofLeft, ofRight] = [left.map(numberOf), right.map(numberOf)]
  const width = right.length + 1
  const longest = new Uint32Array((left.length + 1) * width)
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        ofLeft[row] === ofRight[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const pairs: Array<Pair> = []
  let [row, column] = [0, 0]
  while (row < left.length || column < right.length) {
    const [one, other] = [left[row], right[column]]
    if (one !== undefined && other !== undefined && ofLeft[row] === ofRight[column]) {
      pairs.push({ left: one, right: other })
      row += 1
      column += 1
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      pairs.push({ left: one, right: undefined })
      row += 1
    } else {
      pairs.push({ left: undefined, right: other })
      column += 1
    }
  }
  return pairs
}

/** Slower or faster means by more than a fifth, and by more than 100 ms. */
export const differenceOf = ({ left, right }: Pair): Difference => {
  if (left === undefined) return "only-right"
  if (right === undefined) return "only-left"
  if (left.status !== right.status) return "status"
  if (left.message !== right.message) return "message"
  const change = lengthOf(right) - lengthOf(left)
  if (Math.abs(change) <= Math.max(100, lengthOf(left) / 5)) return "same"
  return change > 0 ? "slower" : "faster"
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
