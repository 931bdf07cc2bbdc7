import { Effect } from "effect"
import { Session } from "../../session/Session.ts"

/**
 * Repeats a read until `holds`, or until the consistency window has passed, and answers the last read. The window is counted
 * from the last exchange before. The last read begins after the window, so a target can't excuse it as stale. Without a
 * window there is one read.
 *
 * To prove that something does not happen, wait for it to happen.
 */
export const eventually = Effect.fnUntraced(function* <A, E, R>(
  read: Effect.Effect<A, E, R>,
  holds: (answer: A) => boolean
) {
  const session = yield* Session
  const end = (yield* session.now) + session.config.windowMs
  while (true) {
    const isLast = (yield* session.now) >= end
    const answer = yield* read
    if (isLast || holds(answer)) return answer
    yield* session.pause
  }
})

/** What a read answers once every earlier write must be visible. */
export const settled = <A, E, R>(read: Effect.Effect<A, E, R>) => eventually(read, () => false)
