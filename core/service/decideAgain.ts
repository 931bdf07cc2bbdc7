import { Effect } from "effect"
import { Unavailable } from "../model/Problem.ts"
import { Conflict } from "../ports/Conflict.ts"

const isConflict = (error: unknown): error is Conflict => error instanceof Conflict

/**
 * Runs "load, decide, commit" again for as long as the commit answers `Conflict`. Of those who contend one wins each
 * round, so this many rounds are enough for this many at once; past that the service says `Unavailable`.
 */
export const decideAgain = <A, E, R>(
  attempt: Effect.Effect<A, E | Conflict, R>
): Effect.Effect<A, E | Unavailable, R> =>
  attempt.pipe(
    Effect.retry({ while: isConflict, times: 256 }),
    Effect.mapError((error) => (isConflict(error) ? Unavailable.answer : error))
  )
