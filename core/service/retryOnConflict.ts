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
 * Repeats "load, decide, commit" while the commit fails with `Conflict`. Each conflict means that another commit has succeeded, so
 * there is always progress. The pauses are random, because otherwise all callers would retry at the same moments. After the last
 * pause, a conflict fails with `Unavailable`.
 */
export const retryOnConflict = <A, E, R>(
  attempt: Effect.Effect<A, E | Conflict, R>
): Effect.Effect<A, E | Unavailable, R> =>
  attempt.pipe(
    Effect.retry({ while: isConflict, schedule: pauses }),
    Effect.mapError((error) => (isConflict(error) ? Unavailable.answer : error))
  )
