import { Effect, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../core/model/Account.ts"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import type { Failures } from "./failures.ts"
import { assertEmpty, readRecords, writeRecords } from "./records.ts"
import type { ColumnTypes } from "./rows.ts"
import { inTransaction } from "./transaction.ts"

/** Reads a whole engine in one transaction. `begin` starts it, and `hold` fixes its moment. */
export const sourceOn = (
  sql: SqlClient.SqlClient,
  engine: {
    readonly types: ColumnTypes
    readonly failures: Failures
    readonly begin: string
    readonly hold: Effect.Effect<unknown, SqlError.SqlError>
  }
) => {
  const records = (account?: AccountId) =>
    Stream.catchTag(readRecords(sql, engine.types, account), "SqlError", (error) =>
      Stream.fromEffect(engine.failures.orUnavailable(Effect.fail(error)))
    )
  const atOnce = <A, E, R>(use: Effect.Effect<A, E, R>) =>
    Effect.andThen(engine.hold, use).pipe(
      inTransaction(sql),
      Effect.provideService(SqlClient.BeginTransaction, engine.begin),
      engine.failures.orUnavailable
    )
  return MetadataSource.of({
    snapshot: (use) => atOnce(use(records())),
    snapshotOf: (account, use) => atOnce(use(records(account)))
  })
}

/** Fills an engine in one transaction. `types` is what its columns take; `hold` runs first. */
export const targetOn = (
  sql: SqlClient.SqlClient,
  engine: {
    readonly types: ColumnTypes
    readonly failures: Failures
    readonly hold: Effect.Effect<unknown, SqlError.SqlError>
  }
) =>
  MetadataTarget.of({
    assertEmpty: engine.failures.orUnavailable(assertEmpty(sql)),
    fill: (records) =>
      Effect.andThen(engine.hold, assertEmpty(sql)).pipe(
        Effect.andThen(writeRecords(sql, engine.types)(records)),
        inTransaction(sql),
        engine.failures.orWriteFailure
      )
  })
