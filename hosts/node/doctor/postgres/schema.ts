import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { codeOf } from "../../engineErrors/networkFault.ts"
import type { Done } from "../parts/schema.ts"

const noTable = "42P01"

/** The migrations a database has run, in order; none if Slipway never ran on it. */
export const stepsDone = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Done>, SqlError.SqlError> =>
  sql<Done>`SELECT migration_id AS id, name FROM slipway_migrations ORDER BY migration_id`.pipe(
    Effect.catchIf(
      (error) => codeOf(error) === noTable,
      () => Effect.succeed([])
    )
  )
