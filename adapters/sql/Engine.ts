import type { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Unavailable } from "../../core/model/Problem.ts"
import type { Rows } from "./rows.ts"

/**
 * An SQL engine, as the statements take it that are the same on every one of them. Its client takes a `Date` for a time, a
 * `Uint8Array` for bytes and an array of texts for a list.
 */
export interface Engine extends Rows {
  readonly sql: SqlClient.SqlClient
  /** Runs an effect's statements in one transaction; a connection that breaks in it is a failure, not a defect. */
  readonly inTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>
  /** Makes of a failure of the engine what a port promises: `Unavailable` where it passes by, else a defect. */
  readonly orUnavailable: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, Exclude<E, Extract<E, SqlError.SqlError>> | Unavailable, R>
  /** Does several writes in one commit, or none of them. No two of them touch the same row. */
  readonly together: (
    writes: readonly [Statement.Statement<object>, ...Array<Statement.Statement<object>>]
  ) => Effect.Effect<void, SqlError.SqlError>
  /** What a violation of the index `repositories_one_link` names. */
  readonly oneLink: string
}
