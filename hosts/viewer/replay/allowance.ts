/** What happens to the next message: it is read, dropped unread, or counts as a flood. */
export type Allowed = "read" | "skip" | "flood"

/** For one second: how many messages are read, how many are a flood, and the time to read them. */
export interface Bounds {
  readonly read: number
  readonly flood: number
  readonly milliseconds: number
}

/**
 * Limits the messages of an app per second. `next` decides about the next message. `spent` reports how long reading one
 * took, because messages that are slow to read are a flood too.
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
