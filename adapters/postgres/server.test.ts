/**
 * The metadata ports on a PostgreSQL server, in a schema of their own that is dropped afterwards. Runs when
 * `SLIPWAY_TEST_POSTGRES_URL` names one (`postgres://user:password@host/database`); `adapters/pglite` runs the same
 * statements always.
 */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { metadataSuite } from "../kit/metadata.ts"
import { layer, layerMigrations } from "./index.ts"

const url = process.env["SLIPWAY_TEST_POSTGRES_URL"]

const connect = (schema: string) =>
  PgClient.layer({ url: Redacted.make(url ?? ""), startupParameters: { search_path: schema } })

/** A pool of connections whose tables lie in a new schema. */
const layerNewSchema = Layer.unwrap(
  Effect.gen(function* () {
    const schema = `slipway_${crypto.randomUUID().replaceAll("-", "")}`
    const run = (statement: string) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(connect("public")))
    yield* Effect.acquireRelease(run(`CREATE SCHEMA ${schema}`), () =>
      Effect.orDie(run(`DROP SCHEMA ${schema} CASCADE`))
    )
    return connect(schema)
  })
)

describe.runIf(url !== undefined)("PostgreSQL server", () => {
  metadataSuite("PostgreSQL", layer.pipe(Layer.provideMerge(layerMigrations), Layer.provide(layerNewSchema)))

  it.effect("many hosts that start at once on an empty database all find it migrated", () =>
    Effect.gen(function* () {
      yield* Effect.all(
        Array.from({ length: 8 }, () => Layer.build(Layer.fresh(layerMigrations))),
        { concurrency: "unbounded" }
      )
      const sql = yield* SqlClient.SqlClient
      const done = yield* sql`SELECT name FROM slipway_migrations ORDER BY migration_id`
      assert.deepStrictEqual(
        done.map((row) => row["name"]),
        ["accounts", "repositories", "builds", "previews", "test_runs", "idempotent_answers"]
      )
    }).pipe(Effect.provide(layerNewSchema))
  )
})
