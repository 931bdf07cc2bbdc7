import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Engine } from "../sql/Engine.ts"
import { makeRows, type ColumnTypes } from "../sql/rows.ts"
import { inTransaction } from "../sql/transaction.ts"
import { Forced } from "./groups.ts"
import { orUnavailable, orWriteFailure } from "./failures.ts"

/** A time is stored as milliseconds, JSON and lists as text. */
export const columnTypes: ColumnTypes = {
  Time: Schema.DateTimeUtcFromMillis,
  Truth: Schema.BooleanFromBit,
  json: Schema.fromJsonString,
  list: Schema.fromJsonString
}

const rows = makeRows(columnTypes)

/** SQLite, for the statements that all engines share. */
export const engineOn = (sql: SqlClient.SqlClient): Engine => {
  const atomically = inTransaction(sql)
  return {
    ...rows,
    sql,
    inTransaction: atomically,
    orUnavailable,
    orWriteFailure,
    redoable: Effect.provideService(Forced, false),
    together: (writes) => atomically(Effect.forEach(writes, (write) => write, { discard: true })),
    lookUp:
      (find) =>
      (id, account = "") =>
        Effect.map(find([id], account), (found) => Option.fromUndefinedOr(found.get(id))),
    among: (column, values) => sql.in(column, values),
    // Writes take turns, so nothing that a statement reads changes before it ends.
    amongLocked: (column, query) => sql`${sql.literal(column)} IN (${query})`,
    lockedBy: () => sql.literal(""),
    free: sql.literal(""),
    earlierTime: Effect.succeed,
    contents: (json) => sql`(
      SELECT
        value ->> 'accountId' AS account_id, value ->> 'contentHash' AS content_hash, value ->> 'sizeBytes' AS size_bytes,
        value ->> 'objectKey' AS object_key
      FROM json_each(${json})
    ) asked`,
    jsonText: (text) => sql`${text}`,
    contains: (column, text) => sql`instr(lower(${column}), lower(${text})) > 0`,
    jsonField: (column, field) => sql`${column} ->> ${field}`,
    jsonIncludes: (column, text) => sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${text})`,
    oneLink: "repositories.key_digest"
  }
}
