import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"

/**
 * Runs an effect in a transaction. When its connection breaks, the client can't even roll back, and makes a defect of
 * that; here it is the failure that it is. (The server rolls back what it lost the client of.)
 */
export const inTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.catchDefect(sql.withTransaction(effect), (defect) =>
      SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
    )
