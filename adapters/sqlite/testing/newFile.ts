import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer, layerClient, layerMigrations, layerSource, layerTarget } from "../index.ts"
import { SqlClient } from "effect/sql"
import { LeakedHandles } from "../../kit/parts/suite.ts"
import { layerDamage, layerFailingStatement } from "../../sql/testing/statements.ts"

/** The path of a database that doesn't exist yet, in a folder that is removed with the scope. */
export const newFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "slipway-sqlite-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "data", "metadata.sqlite")
)

/** A new database file at this version's schema: its ports, and both sides of a copy. */
export const layerBoth = Layer.unwrap(
  Effect.map(newFile, (file) =>
    Layer.mergeAll(layer, layerTarget, layerSource({ file }), layerDamage).pipe(
      Layer.provide(layerMigrations),
      Layer.provide(layerClient({ file }))
    )
  )
)

// One database file for a suite, whose tables are emptied for each case, because making them again would take longer.

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

export const layerEmptyMetadata = Layer.provideMerge(
  layer,
  Layer.mergeAll(layerEmptied, layerFailingStatement, layerDamage)
)
