import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Unavailable } from "../../core/model/Problem.ts"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { assertEmpty, readRecords, writeRecords } from "./records.ts"
import type { ColumnTypes } from "./rows.ts"
import { inTransaction } from "./transaction.ts"

/** Converts a failure of the engine to a port's failure. There is no time limit here. */
type OrUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, Exclude<E, Extract<E, SqlError.SqlError>> | Unavailable, R>

/** Reads a whole engine in one transaction. `begin` starts it, and `hold` fixes its moment. */
export const sourceOn = (
  sql: SqlClient.SqlClient,
  engine: {
    readonly types: ColumnTypes
    readonly orUnavailable: OrUnavailable
    readonly begin: string
    readonly hold: Effect.Effect<unknown, SqlError.SqlError>
  }
) => {
  const records = Stream.catchTag(readRecords(sql, engine.types), "SqlError", (error) =>
    Stream.fromEffect(engine.orUnavailable(Effect.fail(error)))
  )
  return MetadataSource.of({
    snapshot: (use) =>
      Effect.andThen(engine.hold, use(records)).pipe(
        inTransaction(sql),
        Effect.provideService(SqlClient.BeginTransaction, engine.begin),
        engine.orUnavailable
      )
  })
}

/** Fills an engine in one transaction. `types` is what its columns take; `hold` runs first. */
export const targetOn = (
  sql: SqlClient.SqlClient,
  engine: {
    readonly types: ColumnTypes
    readonly orUnavailable: OrUnavailable
    readonly hold: Effect.Effect<unknown, SqlError.SqlError>
  }
) =>
  MetadataTarget.of({
    assertEmpty: engine.orUnavailable(assertEmpty(sql)),
    fill: (records) =>
      Effect.andThen(engine.hold, assertEmpty(sql)).pipe(
        Effect.andThen(writeRecords(sql, engine.types)(records)),
        inTransaction(sql),
        engine.orUnavailable
      )
  })
