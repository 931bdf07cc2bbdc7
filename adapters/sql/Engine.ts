import { Effect, type DateTime, type Duration, type Option } from "effect"
import { SqlError, type SqlClient, type Statement } from "effect/sql"
import { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import { reportAway } from "../../core/ports/HostServices.ts"
import { Conflict, type WriteFailure } from "../../core/ports/WriteFailure.ts"
import type { QuotaCheck } from "../../core/ports/UsageStore.ts"
import type { Rows } from "./rows.ts"

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
  /** Errors after which a statement is repeated, and how often. */
  readonly retry?: {
    readonly while: (error: SqlError.SqlError) => boolean
    readonly pause: Duration.Input
    readonly times: number
  }
}): Failures => {
  const { retry } = engine
  const turning = <Failure>(full: Failure): Turning<Failure | Unavailable> => {
    const turned = (error: SqlError.SqlError): Effect.Effect<never, Failure | Unavailable> => {
      if (!engine.isFull(error) && !engine.isPassing(error)) return Effect.die(error)
      const failure = engine.isFull(error) ? full : Unavailable.default
      const line = Effect.logWarning(engine.describe(error))
      return Effect.andThen(engine.isFull(error) ? line : reportAway("database", line), Effect.fail(failure))
    }
    return <A, E, R>(effect: Effect.Effect<A, E, R>) => {
      type Left = Exclude<E, Extract<E, SqlError.SqlError>> | Failure | Unavailable
      const settled = Effect.catchIf(effect, isSqlError<E>, (error): Effect.Effect<A, Left, R> => {
        if (retry?.while(error) !== true) return turned(error)
        const again = Effect.retry(Effect.delay(effect, retry.pause), {
          while: (error) => isSqlError(error) && retry.while(error),
          times: retry.times - 1
        })
        const repeated = Effect.catchIf(again, isSqlError<E>, turned)
        return repeated
      })
      return settled
    }
  }
  return { orUnavailable: turning(Unavailable.default), orWriteFailure: turning(InsufficientStorage.ofMetadata) }
}

/** Runs a statement that returns what it wrote, and fails with `Conflict` if it wrote nothing because the state has changed. */
export const orConflict = (statement: Statement.Statement<object>) =>
  Effect.filterOrFail(
    statement,
    (rows) => rows.length > 0,
    () => new Conflict()
  )

/**
 * Runs an effect in a transaction. When the connection breaks, the client can't roll back and raises a defect, which is
 * turned into a failure here. (The server rolls back when it loses the client.)
 */
export const inTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.catchDefect(sql.withTransaction(effect), (defect) =>
      SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
    )

/** The limits that a commit is to stay within: fewer open reservations than `openBelow`, and quotas. */
export interface Room {
  readonly openBelow?: number | undefined
  readonly within?: QuotaCheck | undefined
}

/**
 * An SQL engine, for the statements that all engines share. Its client takes a `Date` for a time, a `Uint8Array` for
 * bytes and an array of texts for a list.
 */
export interface Engine extends Rows, Failures {
  readonly sql: SqlClient.SqlClient
  /**
   * Runs an effect's statements in one transaction. A connection that breaks meanwhile is a failure and not a defect.
   */
  readonly inTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>
  /**
   * Runs writes that a power loss may undo, because the caller repeats them then. A power loss that undoes them also undoes
   * every later commit.
   */
  readonly redoable: <A, E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does several writes in one commit. No two of them may touch the same row. */
  readonly together: (
    writes: readonly [Statement.Statement<object>, ...Array<Statement.Statement<object>>]
  ) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Makes a look-up by an id, within an account where one is given, of one by several ids. Concurrent look-ups share a statement where
   * statements need a round trip.
   */
  readonly lookUp: <A>(
    find: (ids: ReadonlyArray<string>, account: string) => Effect.Effect<ReadonlyMap<string, A>, Unavailable>
  ) => (id: string, account?: string) => Effect.Effect<Option.Option<A>, Unavailable>
  /** The condition that a column's value is in a list. */
  readonly among: (column: string, values: ReadonlyArray<string>) => Statement.Fragment
  /**
   * The condition that a column's value is among those that a query selects. The query's rows are locked for the change
   * that is made under this condition, and those that another change has locked are left out.
   */
  readonly amongLocked: (column: string, query: Statement.Fragment) => Statement.Fragment
  /**
   * What ends a query whose rows are to be locked until the transaction ends, one after the other in the order of these
   * columns. Nothing where writes take turns.
   */
  readonly lockedBy: (columns: string) => Statement.Fragment
  /**
   * What ends a query of whose tables the rows are to be locked until the transaction ends, without those that others have locked.
   * Nothing where writes take turns.
   */
  readonly free: Statement.Fragment
  /** The earlier one of a time and the engine's own, where hosts share one; else the time that is given. */
  readonly earlierTime: (time: DateTime.Utc) => Effect.Effect<DateTime.Utc, SqlError.SqlError>
  /**
   * The condition under which a commit of an account stays within its limits. Commits at once don't exceed a limit together. It must be
   * evaluated before the commit locks a row.
   */
  readonly room: (account: string, now: DateTime.Utc, room: Room) => Statement.Fragment
  /** The part of the counters of an account's open uploads in which an upload `v` counts, as SQL. */
  readonly openPart: string
  /** The rows of a JSON array of hosted objects, or of their contents, under the name `asked` and with their columns. */
  readonly contents: (json: string) => Statement.Fragment
  /** A JSON text as the value of a column. */
  readonly jsonText: (text: string | null) => Statement.Fragment
  /** The condition that a column contains a text, ASCII letters in either case. */
  readonly contains: (column: Statement.Fragment, text: string) => Statement.Fragment
  /** A field of a column of JSON text, as text. */
  readonly jsonField: (column: Statement.Fragment, field: string) => Statement.Fragment
  /** The condition that a column of JSON text is a list that has a text. */
  readonly jsonIncludes: (column: Statement.Fragment, text: string) => Statement.Fragment
  /** The text by which an error names a violation of the index `repositories_one_link`. */
  readonly oneLink: string
}
