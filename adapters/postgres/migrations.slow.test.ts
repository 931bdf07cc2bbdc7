import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { it } from "../../core/testing/layer.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { makeAccount } from "../kit/parts/samples.ts"
import { layer as layerMetadata, layerClient, layerMigrations, layerSource } from "./index.ts"
import { migrate, steps } from "./migrations.ts"
import { sqlState } from "./failures.ts"
import { newDatabase } from "./testing/server.ts"

const layerHost = (url: string) => Layer.fresh(layerClient({ url: Redacted.make(url) }))

const onOneHost = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.flatMap(newDatabase, (url) => Effect.provide(effect, layerHost(url))))

const start = Effect.scoped(Layer.build(Layer.fresh(layerMigrations)))

const stepsDone = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT migration_id AS id, name, created_at FROM slipway_migrations ORDER BY migration_id`
})

const namesDone = Effect.map(stepsDone, (rows) => rows.map((row) => row["name"]))
const names = steps.map(({ name }) => name)

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`
  return rows.map((row) => row["name"])
})

const accountNames = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT name FROM accounts`)

/** Waits until a session of this database waits for a lock. */
const somebodyWaits = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0 })
  )
)

describe("migrations", () => {
  it.live("run once and change nothing at the next start", () =>
    Effect.gen(function* () {
      yield* start
      const first = yield* stepsDone
      yield* Effect.provide(
        AccountStore.use((store) => store.insert(makeAccount({ name: "kept" }))),
        layerMetadata
      )
      yield* start
      assert.deepStrictEqual(yield* stepsDone, first)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        (yield* sql`SELECT name FROM accounts`).map((row) => row["name"]),
        ["kept"]
      )
    }).pipe(onOneHost)
  )

  it.live("that this version lacks or doesn't know keep it from reading the whole database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const source = Effect.scoped(Layer.build(Layer.fresh(layerSource)))
      const refusal = Effect.map(Effect.flip(source), ({ message }) => message)
      assert.strictEqual(
        yield* refusal,
        `The database is at another schema: it lacks the step ${names[0]}; start a host of this version on it once.`
      )
      yield* start
      yield* source
      yield* sql`INSERT INTO slipway_migrations (migration_id, name) VALUES (9999, 'newer')`
      assert.strictEqual(
        yield* refusal,
        "The database is at another schema: a newer version of Slipway has used it; run that version or a later one."
      )
    }).pipe(onOneHost)
  )

  it("are numbered from 1 in order, without a gap", () => {
    assert.deepStrictEqual(
      steps.map(({ id }) => id),
      steps.map((_, index) => index + 1)
    )
  })

  it.live("are done once when hosts start at the same time on an empty database", function* () {
    const url = yield* newDatabase
    const hosts = Array.from({ length: 12 }, () =>
      Effect.andThen(start, namesDone).pipe(Effect.provide(layerHost(url)))
    )
    for (const found of yield* Effect.all(hosts, { concurrency: "unbounded" })) assert.deepStrictEqual(found, names)
  })

  it.live("undo a failed step, and continue with it once it can be done", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* start
      yield* sql`CREATE TABLE notes (id text)`
      const newer = [
        ...steps,
        { id: 9998, name: "note", statements: ["ALTER TABLE accounts ADD COLUMN note text"] },
        { id: 9999, name: "notes", statements: ["CREATE TABLE other (id text)", "CREATE TABLE notes (id text)"] }
      ]
      const failed = yield* Effect.flip(migrate(newer))
      assert.strictEqual(failed.message, `The database can't take the step notes: relation "notes" already exists`)
      assert.deepStrictEqual(yield* namesDone, [...names, "note"])
      assert.notInclude(yield* tables, "other")
      yield* sql`DROP TABLE notes`
      yield* migrate(newer)
      assert.deepStrictEqual(yield* namesDone, [...names, "note", "notes"])
    }).pipe(onOneHost)
  )

  it.live("add to the schema and change stored rows when a newer version starts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* start
      yield* Effect.provide(
        AccountStore.use((store) => store.insert(makeAccount({ name: "acme" }))),
        layerMetadata
      )
      yield* migrate([
        ...steps,
        { id: 9998, name: "note", statements: ["ALTER TABLE accounts ADD COLUMN note text"] },
        { id: 9999, name: "note_texts", statements: ["UPDATE accounts SET note = 'of ' || name"] }
      ])
      assert.deepStrictEqual(yield* sql`SELECT name, note FROM accounts`, [{ name: "acme", note: "of acme" }])
    }).pipe(onOneHost)
  )

  it.live("are left unchanged by an older host, which can start on a newer schema", () =>
    Effect.gen(function* () {
      const newer = [...steps, { id: 9999, name: "newer", statements: ["CREATE TABLE newer (id text)"] }]
      yield* migrate(newer)
      const before = yield* stepsDone
      yield* start
      assert.deepStrictEqual(yield* stepsDone, before)
      assert.include(yield* tables, "newer")
    }).pipe(onOneHost)
  )

  it.live("need no permission to change the schema when there is nothing to do", function* () {
    const url = new URL(yield* newDatabase)
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* start
      const user = sql(`user_${crypto.randomUUID()}`)
      yield* Effect.acquireRelease(sql`CREATE ROLE ${user} LOGIN PASSWORD 'read only'`, () =>
        Effect.orDie(Effect.andThen(sql`DROP OWNED BY ${user}`, sql`DROP ROLE ${user}`))
      )
      yield* sql`REVOKE CREATE ON SCHEMA public FROM PUBLIC`
      yield* sql`GRANT SELECT ON slipway_migrations TO ${user}`
      yield* Effect.gen(function* () {
        const own = yield* SqlClient.SqlClient
        yield* own`SET ROLE ${user}`
        yield* start
        assert.strictEqual(sqlState(yield* Effect.flip(own`CREATE TABLE t (id text)`)), "42501")
        yield* own`RESET ROLE`
      }).pipe(Effect.provide(Layer.fresh(layerClient({ url: Redacted.make(url.href), maxConnections: 1 }))))
    }).pipe(Effect.scoped, Effect.provide(layerHost(url.href)))
  })

  it.live("give way while they would block running hosts, and are done afterwards", function* () {
    const url = yield* newDatabase
    const newer = [...steps, { id: 9999, name: "newer", statements: ["ALTER TABLE accounts ADD COLUMN note text"] }]
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* start
      const migrating = yield* sql.withTransaction(
        Effect.gen(function* () {
          // A long read of an older host keeps the step from getting its lock.
          yield* sql`SELECT 1 FROM accounts`
          const migrating = yield* Effect.forkDetach(Effect.provide(migrate(newer), layerHost(url)))
          yield* Effect.provide(somebodyWaits, layerHost(url))
          // Later statements wait behind the step until it gives way.
          assert.deepStrictEqual(yield* Effect.provide(accountNames, layerHost(url)), [])
          return migrating
        })
      )
      yield* Fiber.join(migrating)
      assert.strictEqual((yield* namesDone).at(-1), "newer")
    }).pipe(Effect.provide(layerHost(url)))
  })
})
