import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../core/model/Problem.ts"
import { sqlState, sqlErrorMessage } from "./sqlErrors.ts"

// Out of resources, shutting down or starting up, read-only after a failover, a transaction that was idle for too long,
// a commit that nobody knows the end of, a right that its operator has yet to grant: states of the server, not of a
// statement.
const serverState = /^(?:25006|25P03|40003|42501|53...|57P..)$/

const isPassing = (error: SqlError.SqlError): boolean =>
  error.isRetryable || error.reason.operation === "connect" || serverState.test(sqlState(error) ?? "")

const isSqlError = <E>(error: E): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error)

/** Undone by the engine because of what others did at the same time, as happens where isolation is strict. */
const isContention = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

const unavailable = (why: string) =>
  Effect.andThen(Effect.logWarning(`The database can't be reached: ${why}`), Effect.fail(Unavailable.answer))

/** A failure of the server is `Unavailable` where it passes by, and a line in the log says why; else it is a defect. */
export const toUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(effect, isSqlError<E>, (error) =>
    isPassing(error) ? unavailable(sqlErrorMessage(error)) : Effect.die(error)
  )

/**
 * Makes of a port's statement, or its transaction, what the port promises. When others got in its way it is run again.
 * When the database can't be reached, can't run it just now or doesn't answer in time, it fails with `Unavailable` and a
 * line in the log says why. Whatever else goes wrong is a defect.
 *
 * What was `Unavailable` may have been done all the same, when it was the answer that was lost.
 */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.retry({ while: isContention, times: 64 }),
    toUnavailable,
    Effect.timeoutOrElse({ duration: "6 seconds", orElse: () => unavailable("no answer in six seconds") })
  )
