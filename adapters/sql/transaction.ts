import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"

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
