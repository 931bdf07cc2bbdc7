import { Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../core/model/Problem.ts"

// Out of resources, shutting down or starting up, read-only after a failover: states of the server, not of a statement.
const serverState = /^(?:53...|57P..|25006)$/

const isPassing = ({ reason }: SqlError.SqlError): boolean =>
  reason.isRetryable ||
  (Predicate.hasProperty(reason.cause, "code") &&
    Predicate.isString(reason.cause.code) &&
    serverState.test(reason.cause.code))

const isSqlError = <E>(error: E): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error)

/** Undone by the engine because of what others did at the same time, as happens where isolation is strict. */
const isContention = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

/**
 * Makes of a port's statement, or its transaction, what the port promises. When others got in its way it is run again.
 * When the database can't be reached or can't run it just now, it fails with `Unavailable` and a line in the log says
 * why. Whatever else goes wrong is a defect.
 */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.retry({ while: isContention, times: 64 }),
    Effect.catchIf(isSqlError<E>, (error) =>
      isPassing(error)
        ? Effect.andThen(Effect.logWarning("The database can't be reached", error), Effect.fail(Unavailable.answer))
        : Effect.die(error)
    )
  )
