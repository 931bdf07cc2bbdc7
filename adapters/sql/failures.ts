import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import { reportAway } from "../../core/ports/EngineOutages.ts"
import type { WriteFailure } from "../../core/ports/WriteFailure.ts"

/** Turns the failures of an engine into a port's. */
type Turning<Failure> = <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, Exclude<E, Extract<E, SqlError.SqlError>> | Failure, R>

/** Turns a failure of the engine into what a port promises, and into a defect where a port promises nothing. */
export interface Failures {
  /** For a read: `Unavailable` when the failure will pass. */
  readonly orUnavailable: Turning<Unavailable>
  /** For a write: also `InsufficientStorage` when the engine has no room. */
  readonly orWriteFailure: Turning<WriteFailure>
}

const isSqlError = <E>(error: E): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error)

/** Fails as `Failures` says, by how an engine tells its errors apart, and writes a log line that says why. */
export const failuresBy = (engine: {
  readonly isFull: (error: SqlError.SqlError) => boolean
  readonly isPassing: (error: SqlError.SqlError) => boolean
  readonly describe: (error: SqlError.SqlError) => string
}): Failures => {
  const turning =
    <Failure>(full: Failure): Turning<Failure | Unavailable> =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) => {
      const turned = Effect.catchIf(effect, isSqlError<E>, (error): Effect.Effect<never, Failure | Unavailable> => {
        if (!engine.isFull(error) && !engine.isPassing(error)) return Effect.die(error)
        const failure = engine.isFull(error) ? full : Unavailable.answer
        const line = Effect.logWarning(engine.describe(error))
        return Effect.andThen(engine.isFull(error) ? line : reportAway("database", line), Effect.fail(failure))
      })
      return turned
    }
  return { orUnavailable: turning(Unavailable.answer), orWriteFailure: turning(InsufficientStorage.ofMetadata) }
}
