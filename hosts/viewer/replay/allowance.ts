/** What happens to the next message: it is read, dropped unread, or counts as a flood. */
type Allowed = "read" | "skip" | "flood"

/** For one second: how many messages are read, how many are a flood, and the time to read them. */
interface Bounds {
  readonly read: number
  readonly flood: number
  readonly milliseconds: number
}

/** After how many seconds in a row messages that are slow to read are a flood: on a busy machine, any message may be slow. */
const slowSeconds = 5

/**
 * Limits the messages of an app per second. `next` decides about the next message. `spent` reports how long reading one
 * took: once that is too long, the other messages of the second are dropped.
 */
export const makeAllowance = (bounds: Bounds) => {
  let second = Number.NEGATIVE_INFINITY
  let count = 0
  let milliseconds = 0
  let slow = 0
  return {
    next: (now: number): Allowed => {
      if (now - second >= 1000) {
        slow = milliseconds > bounds.milliseconds ? slow + 1 : 0
        second = now
        count = 0
        milliseconds = 0
      }
      count += 1
      if (count > bounds.flood || slow >= slowSeconds) return "flood"
      return count > bounds.read || milliseconds > bounds.milliseconds ? "skip" : "read"
    },
    spent: (took: number): void => {
      milliseconds += took
    }
  }
}

/**
 * The most messages in a second. An app may post a few to the windows around it; the viewer's pages read none of them.
 */
const maxMessages = 100

const allowance = makeAllowance({ read: maxMessages, flood: maxMessages, milliseconds: 1000 })

/**
 * Calls `onStorm` if frames post so many messages to this window that people could no longer use it. Any frame can post
 * to the top window and nothing can prevent that, so the only remedy is to remove the frame. The messages are never
 * read, because deserializing them is slow.
 */
export const watchForStorm = (onStorm: () => void): void => {
  const count = ({ source }: MessageEvent): void => {
    // Browser extensions post to the window from within it.
    if (source !== window && allowance.next(performance.now()) === "flood") onStorm()
  }
  window.addEventListener("message", count)
  // A message that can't be deserialized arrives as a `messageerror`, which counts too.
  window.addEventListener("messageerror", count)
}
