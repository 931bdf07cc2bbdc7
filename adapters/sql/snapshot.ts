import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Unavailable } from "../../core/model/Problem.ts"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { assertEmpty, readRecords, writeRecords } from "./records.ts"
import type { ColumnTypes } from "./rows.ts"
import { inTransaction } from "./transaction.ts"

/** What a failure of the engine is to a port, however long what failed took. */
type OrUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, Exclude<E, Extract<E, SqlError.SqlError>> | Unavailable, R>

/** Reads an engine whole in one transaction, which `begin` starts and `hold` makes that of one moment. */
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

/** Fills an engine in one transaction. `types` are what its columns take; `hold` is run in it first. */
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
