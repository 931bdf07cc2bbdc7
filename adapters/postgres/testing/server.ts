import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ask } from "./ask.ts"

export { startPostgres } from "./startPostgres.ts"
export type { PostgresServer } from "./startPostgres.ts"

const Started = Schema.fromJsonString(Schema.Struct({ url: Schema.String }))

/** The server that all tests of a run share. A test that stores something uses a database of its own. */
const postgresServer = async (): Promise<{ readonly url: string }> => Schema.decodeSync(Started)(await ask("/postgres"))

/** The URL of a new and empty database on the shared server. It is dropped when the scope closes. */
export const newDatabase = Effect.gen(function* () {
  const { url } = yield* Effect.promise(postgresServer)
  const name = `slipway_${crypto.randomUUID().replaceAll("-", "")}`
  const run = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
      Effect.orDie
    )
  yield* Effect.acquireRelease(run(`CREATE DATABASE ${name}`), () => run(`DROP DATABASE ${name} WITH (FORCE)`))
  const database = new URL(url)
  database.pathname = `/${name}`
  return database.href
})
