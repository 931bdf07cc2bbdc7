/** One database for a suite, whose tables are emptied for each case, because making them again would take longer. */
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { LeakedHandles } from "../../kit/parts/suite.ts"
import { layerDamage, layerFailingStatement } from "../../sql/testing/statements.ts"
import { layer, layerClient, layerMigrations } from "../index.ts"
import { newDatabase } from "./server.ts"

/** The pool of a host on a new database, at the newest schema. */
export const layerPool = layerMigrations.pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(newDatabase, (url) => layerClient({ url: Redacted.make(url) }))))
)

/** Deletes every row in one statement, because the rows refer to each other. (`TRUNCATE` takes longer for few rows.) */
const empty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_name <> 'slipway_migrations'
  `
  const deletions = tables.map(({ name }) => sql`${sql(`from_${name}`)} AS (DELETE FROM ${sql(name)})`)
  yield* sql`WITH ${sql.csv(deletions)} SELECT`
})

/** The last statement of each transaction that is open and idle. */
const leftOpen = (sql: SqlClient.SqlClient) =>
  sql<{ readonly query: string }>`
    SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
  `.pipe(
    Effect.map((rows) => rows.map((row) => `a transaction, after ${row.query}`)),
    Effect.orDie
  )

const layerEmptied = Layer.effect(
  LeakedHandles,
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.as(empty, leftOpen(sql)))
)

export const layerEmptyMetadata = Layer.provideMerge(
  layer,
  Layer.mergeAll(layerEmptied, layerFailingStatement, layerDamage)
)
