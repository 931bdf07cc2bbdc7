import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../core/model/Problem.ts"
import { sqlState, sqlErrorMessage } from "./sqlErrors.ts"

// Out of resources, shutting down, starting up, read-only after a failover, idle for too long in a transaction, an
// unknown result of a commit, a missing permission: these are states of the server and not faults of a statement.
const serverState = /^(?:25006|25P03|40003|42501|53...|57P..)$/

const isPassing = (error: SqlError.SqlError): boolean =>
  error.isRetryable || error.reason.operation === "connect" || serverState.test(sqlState(error) ?? "")

const isSqlError = <E>(error: E): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error)

/** The engine undid the statement because of concurrent ones, as happens at strict isolation levels. */
const isContention = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

const unavailable = (why: string) =>
  Effect.andThen(Effect.logWarning(`The database can't be reached: ${why}`), Effect.fail(Unavailable.answer))

/** A passing failure of the server becomes `Unavailable` and a log line; any other becomes a defect. */
export const toUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(effect, isSqlError<E>, (error) =>
    isPassing(error) ? unavailable(sqlErrorMessage(error)) : Effect.die(error)
  )

/**
 * Turns the failures of a port's statement or transaction into what the port promises. After a conflict with others it
 * is run again. When the database can't be reached, can't run it now or doesn't answer in time, it fails with
 * `Unavailable` and a log line says why. Every other failure is a defect.
 *
 * After `Unavailable` the change may still have been made, because only its answer may have been lost.
 */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.retry({ while: isContention, times: 64 }),
    toUnavailable,
    Effect.timeoutOrElse({ duration: "6 seconds", orElse: () => unavailable("no answer in six seconds") })
  )
