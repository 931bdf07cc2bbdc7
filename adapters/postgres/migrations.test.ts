import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { makeAccount } from "../kit/samples.ts"
import { layer as layerPglite } from "../pglite/index.ts"
import { layer as layerMetadata, layerMigrations } from "./index.ts"

layer(layerPglite())("migrations", (it) => {
  it.effect("run once: at the next start everything is as it was", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const start = Effect.scoped(Layer.build(Layer.fresh(layerMigrations)))
      const done = sql`SELECT migration_id, name, created_at FROM slipway_migrations ORDER BY migration_id`
      yield* start
      const first = yield* done
      yield* Effect.flatMap(AccountStore, (store) => store.insert(makeAccount({ name: "kept" }))).pipe(
        Effect.provide(layerMetadata)
      )
      yield* start
      assert.deepStrictEqual(yield* done, first)
      assert.deepStrictEqual(
        (yield* sql`SELECT name FROM accounts`).map((row) => row["name"]),
        ["kept"]
      )
    })
  )

  it.effect("leave nothing behind when one of them fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        DROP TABLE IF EXISTS idempotent_answers, test_runs, billed_test_runs, previews, build_reservations, builds,
          repositories, api_keys, accounts, slipway_migrations
      `
      yield* sql`CREATE TABLE builds (id text)`
      yield* Effect.flip(Effect.scoped(Layer.build(Layer.fresh(layerMigrations))))
      const tables = yield* sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`
      assert.deepStrictEqual(
        tables.map((row) => row["name"]),
        ["builds", "slipway_migrations"]
      )
      assert.deepStrictEqual(yield* sql`SELECT * FROM slipway_migrations`, [])
    })
  )
})
