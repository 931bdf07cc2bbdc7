import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeFirst } from "../sql/decodeRows.ts"
import type { Engine } from "../sql/Engine.ts"
import { inTransaction } from "../sql/transaction.ts"
import { lookUp } from "./lookUps.ts"
import { rows } from "./rows.ts"
import { orUnavailable, orWriteFailure } from "./failures.ts"

const clock = decodeFirst({ clock: Schema.Struct({ now: rows.Time }) })

/** PostgreSQL, for the statements that all engines share. */
export const engineOn = (sql: SqlClient.SqlClient): Engine => ({
  ...rows,
  sql,
  inTransaction: inTransaction(sql),
  orUnavailable,
  orWriteFailure,
  redoable: (writes) => writes,
  // One statement needs one round trip.
  together: ([first, ...others]) => {
    const parts = others.map((write, index) => sql`${sql.literal(`part_${index}`)} AS (${write})`)
    return Effect.asVoid(parts.length === 0 ? first : sql`WITH ${sql.csv(parts)} ${first}`)
  },
  lookUp,
  among: (column, values) => sql`${sql.literal(column)} = ANY (${values})`,
  // An array is selected once. As a part of the condition, the query could be run again for each row.
  amongLocked: (column, query) => sql`${sql.literal(column)} = ANY (ARRAY(${query} FOR UPDATE SKIP LOCKED))`,
  lockedBy: (columns) => sql.literal(`ORDER BY ${columns} FOR UPDATE`),
  free: sql.literal("FOR UPDATE SKIP LOCKED"),
  earlierTime: (time) =>
    sql`SELECT LEAST(clock_timestamp(), ${DateTime.toDateUtc(time)}) AS "clock.now"`.pipe(
      Effect.flatMap(clock),
      Effect.map((row) => Option.getOrThrow(row).clock.now)
    ),
  contents: (json) => sql`(
    SELECT "accountId" AS account_id, "contentHash" AS content_hash, "sizeBytes" AS size_bytes, "objectKey" AS object_key
    FROM jsonb_to_recordset(${json}::jsonb)
      AS given ("accountId" text, "contentHash" text, "sizeBytes" double precision, "objectKey" text)
  ) asked`,
  jsonText: (text) => sql`${text}::jsonb`,
  contains: (column, text) => sql`strpos(lower(${column} COLLATE "C"), lower(${text}::text COLLATE "C")) > 0`,
  jsonField: (column, field) => sql`${column}::json ->> ${field}::text`,
  jsonIncludes: (column, text) => sql`${column}::jsonb @> to_jsonb(${text}::text)`,
  oneLink: "repositories_one_link"
})
