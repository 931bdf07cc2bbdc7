import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { layerClient, steps } from "./index.ts"
import { migrate } from "./migrate.ts"
import { newFile } from "./testing/newFile.ts"

const onNewFile = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.flatMap(newFile, (file) => Effect.provide(effect, layerClient({ file }))))

const schema = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT name, sql FROM sqlite_schema ORDER BY name`)

const done = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT * FROM slipway_migrations ORDER BY migration_id`)

describe("migrations", () => {
  it.effect("run once and write nothing at the next start", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(steps)
      const first = yield* done
      assert.deepStrictEqual(
        first.map((row) => row["name"]),
        steps.map(({ name }) => name)
      )
      const before = yield* sql`SELECT total_changes() AS changes`
      yield* migrate(steps)
      assert.deepStrictEqual(yield* sql`SELECT total_changes() AS changes`, before)
      assert.deepStrictEqual(yield* done, first)
    }).pipe(onNewFile)
  )

  it("are numbered from 1 in order, without a gap", () => {
    assert.deepStrictEqual(
      steps.map(({ id }) => id),
      steps.map((_, index) => index + 1)
    )
  })

  it.effect("leave the database unchanged when one of them fails, and succeed later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(steps.slice(0, 2))
      yield* sql`CREATE TABLE build_reservations (id TEXT)`
      const before = yield* schema
      const failed = yield* Effect.flip(migrate(steps))
      assert.match(failed.message, /^The database .* can't be used: table build_reservations already exists; see to/)
      assert.deepStrictEqual(yield* schema, before)
      yield* sql`DROP TABLE build_reservations`
      yield* migrate(steps)
      assert.strictEqual((yield* done).length, steps.length)
    }).pipe(onNewFile)
  )

  it.effect("make every table strict", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(steps)
      const lax = sql`SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'`
      assert.deepStrictEqual(yield* lax, [])
    }).pipe(onNewFile)
  )
})
