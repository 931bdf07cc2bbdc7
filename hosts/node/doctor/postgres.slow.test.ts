import { PgClient } from "@effect/sql-pg"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { it } from "../../../core/testing/layer.ts"
import { layerMigrations, steps } from "../../../adapters/postgres/migrations.ts"
import { newDatabase } from "../../../adapters/postgres/testing/server.ts"
import { databaseAddress } from "../settings/engineSettings.ts"
import { permissionsFinding } from "./postgres.ts"

describe("the check of database privileges", () => {
  it.effect("tries every privilege on every existing table, and names each missing one", function* () {
    const url = yield* newDatabase
    const [reader, place] = [`reader_${crypto.randomUUID().slice(0, 8)}`, databaseAddress(Redacted.make(url))]
    yield* Effect.gen(function* () {
      yield* Layer.build(layerMigrations)
      const sql = yield* SqlClient.SqlClient
      const find = permissionsFinding("rights", sql, { ...place, user: reader }, steps)
      const tables = yield* sql<{ readonly name: string }>`
          SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'slipway_migrations'
        `
      assert.isAbove(tables.length, 8)
      yield* sql`CREATE ROLE ${sql(reader)}`
      const tried = Effect.gen(function* () {
        yield* sql`SET LOCAL ROLE ${sql(reader)}`
        return yield* find
      })
      for (const { name } of tables) {
        yield* sql`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${sql(reader)}`
        assert.isTrue((yield* sql.withTransaction(tried)).ok)
        yield* sql`REVOKE UPDATE ON ${sql(name)} FROM ${sql(reader)}`
        const found = yield* sql.withTransaction(tried)
        assert.strictEqual(found.detail, `the user ${reader} may not UPDATE on ${name}`)
      }
      yield* sql`DROP OWNED BY ${sql(reader)}`
      yield* sql`DROP ROLE ${sql(reader)}`
    }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
  })
})
