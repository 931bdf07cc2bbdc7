import { Effect } from "effect"
import { Session } from "../../session/Session.ts"

/**
 * Reads until what came holds or the consistency window, counted from the last exchange before, has passed, and answers
 * what the last read said. The last read begins after the window, so it is never excused; without a window there is one.
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

/** What a read says once every write before it is sure to be seen. */
export const settled = <A, E, R>(read: Effect.Effect<A, E, R>) => eventually(read, () => false)
