import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { sourceOn, targetOn } from "../sql/snapshot.ts"
import { columnTypes, layerReader } from "./engine.ts"
import { assertCurrent, steps } from "./migrations.ts"
import { orUnavailable, orWriteFailure } from "./failures.ts"

/** Reads a whole database file while others write to it. A file at another version's schema is refused. */
export const layerSource = (options: { readonly file: string }) =>
  Layer.effect(
    MetadataSource,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* assertCurrent(steps)
      // The first read fixes the moment.
      return sourceOn(sql, {
        types: columnTypes,
        failures: { orUnavailable, orWriteFailure },
        begin: "BEGIN",
        hold: sql`SELECT 1 FROM sqlite_schema`
      })
    })
  ).pipe(Layer.provide(layerReader(options)))

/** Fills the database of a client, which must be at this version's schema. */
export const layerTarget = Layer.effect(
  MetadataTarget,
  Effect.map(SqlClient.SqlClient, (sql) =>
    targetOn(sql, { types: columnTypes, failures: { orUnavailable, orWriteFailure }, hold: Effect.void })
  )
)
