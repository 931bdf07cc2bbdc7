import { Effect, Schedule } from "effect"
import { Unavailable } from "../model/Problem.ts"
import { Conflict } from "../ports/Conflict.ts"

const isConflict = (error: unknown): error is Conflict => error instanceof Conflict

/** The pauses between attempts: from 1 to 100 milliseconds, some six seconds all together. */
const pauses = Schedule.min([Schedule.exponential("1 millis", 1.5), Schedule.spaced("100 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ times: 70 })
)

/**
 * Runs "load, decide, commit" again for as long as the commit answers `Conflict`. Each conflict means that somebody else
 * has committed, so of those who contend one gets through at a time. The pauses are random: otherwise all of them would
 * try at the same moments. Whoever still meets a conflict after the last pause gets `Unavailable`.
 */
export const retryOnConflict = <A, E, R>(
  attempt: Effect.Effect<A, E | Conflict, R>
): Effect.Effect<A, E | Unavailable, R> =>
  attempt.pipe(
    Effect.retry({ while: isConflict, schedule: pauses }),
    Effect.mapError((error) => (isConflict(error) ? Unavailable.answer : error))
  )
