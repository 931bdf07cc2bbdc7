import type { Pair } from "./align.ts"

/** A time on each of two runs' own clocks. */
export interface Times {
  readonly left: number
  readonly right: number
}

export type Side = keyof Times

/** A clock that two runs share, and where on it each of them stands. */
export interface CommonClock {
  readonly length: number
  /** Where each run stands at a time. A run that waits for the other stands still. */
  readonly at: (t: number) => Times
  /** A time at which a run stands there. */
  readonly timeOf: (side: Side, t: number) => number
}

/** A part of the clock: when it begins, here and for each run, and how long it lasts for each. */
interface Part {
  readonly begins: number
  readonly from: Times
  readonly length: Times
}

/** Both runs from their beginnings. */
export const sameTime = (lengths: Times): CommonClock => ({
  length: Math.max(lengths.left, lengths.right),
  at: (t) => ({ left: Math.min(t, lengths.left), right: Math.min(t, lengths.right) }),
  timeOf: (_, t) => t
})

/** Steps that belong together begin together: whichever run was faster on the way there waits for the other. */
export const stepByStep = (pairs: ReadonlyArray<Pair>, lengths: Times): CommonClock => {
  const marks: Array<Times> = [{ left: 0, right: 0 }]
  for (const { left, right } of pairs) {
    const before = marks.at(-1) ?? { left: 0, right: 0 }
    if (left === undefined || right === undefined || left.from < before.left || right.from < before.right) continue
    marks.push({ left: left.from, right: right.from })
  }
  const parts: Array<Part> = []
  let length = 0
  for (const [index, from] of marks.entries()) {
    const until = marks[index + 1] ?? lengths
    const lasts = { left: Math.max(0, until.left - from.left), right: Math.max(0, until.right - from.right) }
    parts.push({ begins: length, from, length: lasts })
    length += Math.max(lasts.left, lasts.right)
  }
  const zero: Part = { begins: 0, from: { left: 0, right: 0 }, length: { left: 0, right: 0 } }
  return {
    length,
    at: (t) => {
      const part = parts.findLast(({ begins }) => begins <= t) ?? zero
      const within = Math.max(0, t - part.begins)
      return {
        left: part.from.left + Math.min(within, part.length.left),
        right: part.from.right + Math.min(within, part.length.right)
      }
    },
    timeOf: (side, t) => {
      const part = parts.findLast(({ from }) => from[side] <= t) ?? zero
      return part.begins + Math.min(Math.max(0, t - part.from[side]), part.length[side])
    }
  }
}
