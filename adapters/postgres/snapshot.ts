import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { sourceOn, targetOn } from "../sql/snapshot.ts"
import { assertCurrent, steps } from "./migrations.ts"
import { columnTypes } from "./engine.ts"
import { unlimited } from "./failures.ts"

/** A transaction without time limits, because it is idle while its records are written elsewhere. */
const patient = (sql: SqlClient.SqlClient) =>
  Effect.andThen(sql`SET LOCAL idle_in_transaction_session_timeout = 0`, sql`SET LOCAL statement_timeout = 0`)

/** Reads the whole database of a client while others write to it. A database at another version's schema is refused. */
export const layerSource = Layer.effect(
  MetadataSource,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* assertCurrent(steps)
    return sourceOn(sql, {
      types: columnTypes,
      failures: unlimited,
      begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
      // The first query fixes the moment.
      hold: Effect.andThen(patient(sql), sql`SELECT 1`)
    })
  })
)

/** Fills the database of a client, which must be at this version's schema. */
export const layerTarget = Layer.effect(
  MetadataTarget,
  Effect.map(SqlClient.SqlClient, (sql) =>
    targetOn(sql, {
      // JSON is inserted as text.
      types: { ...columnTypes, json: Schema.fromJsonString },
      failures: unlimited,
      hold: patient(sql)
    })
  )
)
