import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { it } from "../../core/testing/layer.ts"
import { layerClient } from "./index.ts"
import { migrate, steps } from "./migrations.ts"
import { newFile } from "./testing/newFile.ts"

const onNewFile = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.flatMap(newFile, (file) => Effect.provide(effect, layerClient({ file }))))

const schema = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT name, sql FROM sqlite_schema ORDER BY name`)

const done = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT * FROM slipway_migrations ORDER BY migration_id`)

/** Steps of later versions: one adds a column, the other fills it from what is stored. */
const later = [
  ...steps,
  { id: 9998, name: "notes", statements: ["ALTER TABLE accounts ADD COLUMN note TEXT"] },
  { id: 9999, name: "note_texts", statements: ["UPDATE accounts SET note = 'of ' || name"] }
]

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
      const before = yield* sql`SELECT data_version FROM pragma_data_version`
      yield* migrate(steps)
      assert.deepStrictEqual(yield* sql`SELECT data_version FROM pragma_data_version`, before)
      assert.deepStrictEqual(yield* done, first)
    }).pipe(onNewFile)
  )

  it("are numbered from 1 in order, without a gap", () => {
    assert.deepStrictEqual(
      steps.map(({ id }) => id),
      steps.map((_, index) => index + 1)
    )
  })

  it.effect("add to the schema and change stored rows when a newer version starts, which older ones then refuse", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(steps)
      yield* sql`INSERT INTO accounts (id, name, name_digest, created_at) VALUES ('a', 'acme', x'00', 0)`
      yield* migrate(later)
      assert.deepStrictEqual(yield* sql`SELECT name, note FROM accounts`, [{ name: "acme", note: "of acme" }])
      const refused = yield* Effect.flip(migrate(steps))
      assert.match(refused.message, /a newer version of Slipway has used it \(its schema has the step notes\)/)
    }).pipe(onNewFile)
  )

  it.effect("count the open uploads of a database that has some", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const counting = steps.findIndex(({ name }) => name === "open_uploads")
      yield* migrate(steps.slice(0, counting))
      yield* sql`INSERT INTO accounts (id, name, name_digest, created_at) VALUES ('a', 'acme', x'00', 0)`
      const [late, early] = [32503680000000, 1000]
      for (const [id, expiresAt, finalizedAt] of [
        ["p1", late, null],
        ["p2", early, null],
        ["p3", late, 1]
      ] as const) {
        yield* sql`
          INSERT INTO previews (
            id, share_id, token_hash, account_id, reserved_at, expires_at, finalized_at, declared_bytes, stored_bytes, uploaded_bytes,
            declaration
          ) VALUES (${id}, ${id}, ${id}, 'a', 0, ${expiresAt}, ${finalizedAt}, 7, 0, 0, '{}')
        `
      }
      yield* migrate(steps)
      const counted = sql`SELECT reservations, bytes, previews FROM account_open_uploads`
      assert.deepStrictEqual(yield* counted, [{ reservations: 1, bytes: 7, previews: 1 }])
    }).pipe(onNewFile)
  )

  it.effect("leave the database unchanged when one of them fails, and succeed later", () =>
    Effect.gen(function* () {
      yield* migrate(steps)
      const before = yield* schema
      const failing = [...later, { id: 10000, name: "again", statements: ["CREATE TABLE accounts (id TEXT)"] }]
      const failed = yield* Effect.flip(migrate(failing))
      assert.match(failed.message, /^The database .* can't be used: table accounts already exists; check the file/)
      assert.deepStrictEqual(yield* schema, before)
      yield* migrate(later)
      assert.strictEqual((yield* done).length, later.length)
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
