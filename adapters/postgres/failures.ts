/** Reads the cause from an error of the client: the server's or the system's code. */
import { Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../core/model/Problem.ts"
import { reportAway } from "../../core/ports/HostServices.ts"
import { failuresBy, type Failures } from "../sql/Engine.ts"

/** The server's error code, if the server reported the error. */
export const sqlState = ({ reason }: SqlError.SqlError): string | undefined =>
  Predicate.hasProperty(reason.cause, "code") && Predicate.isString(reason.cause.code) ? reason.cause.code : undefined

const messageOf = (cause: unknown): string => {
  // Node's error for a name with several addresses, all of which were tried.
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join("; ")
  return cause instanceof Error ? cause.message : String(cause)
}

/** Says what went wrong in one line without a password. */
export const sqlErrorMessage = ({ reason }: SqlError.SqlError): string => messageOf(reason.cause)

const diskFull = "53100"

// Out of resources, shutting down, starting up, read-only after a failover, idle for too long in a transaction, an
// unknown result of a commit, a missing permission: these are states of the server and not faults of a statement.
const serverState = /^(?:25006|25P03|40003|42501|53...|57P..)$/

const isPassing = (error: SqlError.SqlError): boolean =>
  error.isRetryable || error.reason.operation === "connect" || serverState.test(sqlState(error) ?? "")

/** The engine undid the statement because of concurrent ones, as happens at strict isolation levels. */
const isContention = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

/**
 * What becomes of a statement or transaction that fails, without a time limit. After `Unavailable` a change may still have
 * been made, because only its answer may have been lost.
 */
export const unlimited = failuresBy({
  isFull: (error) => sqlState(error) === diskFull,
  isPassing,
  describe: (error) => `The database can't be used: ${sqlErrorMessage(error)}`
})

/** Runs it again after a conflict with others. Only after the first one, because a schedule costs something in every call. */
const again = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchIf(effect, isContention, () => Effect.retry(effect, { while: isContention, times: 63 }))

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.timeoutOrElse(effect, {
    duration: "6 seconds",
    orElse: () =>
      Effect.andThen(
        reportAway("database", Effect.logWarning("The database can't be used: no answer in six seconds")),
        Effect.fail(Unavailable.default)
      )
  })

/** The same when a statement or transaction that isn't answered in time fails too. */
export const { orUnavailable, orWriteFailure }: Failures = {
  orUnavailable: (effect) => inTime(unlimited.orUnavailable(again(effect))),
  orWriteFailure: (effect) => inTime(unlimited.orWriteFailure(again(effect)))
}
