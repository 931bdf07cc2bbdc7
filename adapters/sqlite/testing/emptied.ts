/**
 * One database file for a suite, whose tables are emptied for each case, because making them again would take longer.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LeakedHandles } from "../../kit/parts/leaks.ts"
import { layerFailingStatement } from "../../sql/testing/failingStatement.ts"
import { layer, layerClient, layerMigrations } from "../index.ts"
import { newFile } from "./newFile.ts"

/** A new database file, at the newest schema. */
export const layerFile = layerMigrations.pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(newFile, (file) => layerClient({ file }))))
)

const empty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'slipway_migrations'
  `
  yield* sql.withTransaction(
    Effect.andThen(
      sql`PRAGMA defer_foreign_keys = ON`,
      Effect.forEach(tables, ({ name }) => sql`DELETE FROM ${sql(name)}`, { discard: true })
    )
  )
})

/** Finds a transaction that never ended: the next one can't begin. */
const leftOpen = (sql: SqlClient.SqlClient) =>
  Effect.match(sql.withTransaction(sql`SELECT 1`), {
    onFailure: (error) => [`a transaction: ${error.message}`],
    onSuccess: () => []
  })

const layerEmptied = Layer.effect(
  LeakedHandles,
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.as(empty, leftOpen(sql)))
)

export const layerEmptyMetadata = Layer.provideMerge(layer, Layer.merge(layerEmptied, layerFailingStatement))
