/** What becomes of one more message: it is looked at, it is let go unread, or there have been so many that it is a flood. */
export type Allowed = "read" | "skip" | "flood"

/** In a second: how many messages are read, how many make a flood, and how long reading them may take. */
export interface Bounds {
  readonly read: number
  readonly flood: number
  readonly milliseconds: number
}

/**
 * How much of what an app posts is taken, second by second. `next` tells what becomes of the message at hand, `spent` is
 * told how long reading one took: what is slow to read is a flood as well.
 */
export const makeAllowance = (bounds: Bounds) => {
  let second = Number.NEGATIVE_INFINITY
  let count = 0
  let milliseconds = 0
  return {
    next: (now: number): Allowed => {
      if (now - second >= 1000) {
        second = now
        count = 0
        milliseconds = 0
      }
      count += 1
      if (count > bounds.flood || milliseconds > bounds.milliseconds) return "flood"
      return count > bounds.read ? "skip" : "read"
    },
    spent: (took: number): void => {
      milliseconds += took
    }
  }
}
