import { DateTime, Effect, Exit, identity, Option, Predicate, Request, RequestResolver, Schema } from "effect"
import { makeRows, type ColumnTypes } from "../sql/rows.ts"
import type { Unavailable } from "../../core/model/Problem.ts"
import { inTransaction, type Engine } from "../sql/Engine.ts"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Conflict } from "../../core/ports/WriteFailure.ts"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import { orUnavailable, orWriteFailure } from "./failures.ts"
import { decodeFirst } from "../sql/values.ts"
import { limitsOf } from "../sql/usage.ts"
import { openPart } from "./migrations.ts"

/** The driver returns times as `Date`, and JSON and lists decoded. */
export const columnTypes: ColumnTypes = {
  Time: Schema.DateTimeUtcFromDate,
  Truth: Schema.Boolean,
  json: identity,
  list: identity
}

const rows = makeRows(columnTypes)

export const { columns, entities } = rows

// Concurrent look-ups that share a statement.

/** So many look-ups share a statement at most. */
const most = 100

interface LookUp<A> extends Request.Request<Option.Option<A>, Unavailable> {
  readonly id: string
  readonly account: string
}

/** Finds what is looked up in one turn of the event loop by one statement, since each statement needs a write and its answer a read. */
const lookUp: Engine["lookUp"] = <A>(
  find: (ids: ReadonlyArray<string>, account: string) => Effect.Effect<ReadonlyMap<string, A>, Unavailable>
) => {
  const request = Request.of<LookUp<A>>()
  const resolver = RequestResolver.makeWith<LookUp<A>>({
    batchKey: (entry) => entry.request.account,
    delay: Effect.yieldNow,
    collectWhile: ({ size }) => size < most,
    runAll: (entries) => {
      const { account } = entries[0].request
      const all = Effect.map(find([...new Set(entries.map((entry) => entry.request.id))], account), (found) => {
        for (const entry of entries) {
          entry.completeUnsafe(Exit.succeed(Option.fromUndefinedOr(found.get(entry.request.id))))
        }
      })
      // A row that can't be decoded is a failure of its own look-up only.
      const each = Effect.forEach(entries, ({ completeUnsafe, request: { id } }) =>
        Effect.map(Effect.exit(find([id], account)), (exit) =>
          completeUnsafe(Exit.map(exit, (found) => Option.fromUndefinedOr(found.get(id))))
        )
      )
      return entries.length === 1 ? all : Effect.catchDefect(all, () => Effect.asVoid(each))
    }
  })
  return (id, account = "") => Effect.request(request({ id, account }), resolver)
}

// What all commits share. Each commit is one statement whose first part is named `stored`.

/**
 * The part of a commit that stores `once`, when `stored` has a row. It replaces an expired answer. An answer that hasn't
 * expired gets null as its `expires_at`, which a check constraint refuses, so the whole statement is undone.
 */
export const storeOnce = (sql: SqlClient.SqlClient, once: Once | undefined): Statement.Fragment => {
  if (once === undefined) return sql.literal("")
  const { accountId, expiresAt, keyHash, requestHash, sealedAnswer } = once.answer
  return sql`
    , kept AS (
      INSERT INTO idempotency_keys (account_id, key_hash, request_hash, sealed_answer, expires_at)
      SELECT ${accountId}, ${keyHash}, ${requestHash}, ${sealedAnswer}, ${DateTime.toDateUtc(expiresAt)} FROM stored
      ON CONFLICT (account_id, key_hash) DO UPDATE SET
        request_hash = EXCLUDED.request_hash, sealed_answer = EXCLUDED.sealed_answer,
        expires_at = CASE
          WHEN idempotency_keys.expires_at <= ${DateTime.toDateUtc(once.now)} THEN EXCLUDED.expires_at
        END
    )
  `
}

/** The checks that undo a statement because of what others have stored since it was decided. */
const checks: ReadonlyArray<unknown> = ["hosted_objects_once", "idempotency_keys_once", "test_histories_current"]

const isStoredAlready = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "ConstraintError" &&
  Predicate.hasProperty(reason.cause, "constraint") &&
  checks.includes(reason.cause.constraint)

/** Runs a commit. It returns a row when it was made, and none when the state has changed since it was read. */
export const committed = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  statement.pipe(
    Effect.filterOrFail(
      (rows) => rows.length > 0,
      () => new Conflict()
    ),
    Effect.catchIf(
      (error) => error._tag === "SqlError" && isStoredAlready(error),
      () => Effect.fail(new Conflict())
    ),
    Effect.asVoid,
    orWriteFailure
  )

/** See `has_room` in `migrations.ts`. */
const room =
  (sql: SqlClient.SqlClient): Engine["room"] =>
  (account, now, room) => {
    const limits = Object.values(limitsOf(room))
    if (limits.every((limit) => limit === undefined)) return sql.literal("true")
    const amounts = (of: (limit: readonly [number, number]) => number) =>
      sql`ARRAY[${sql.csv(limits.map((limit) => sql`${limit === undefined ? null : of(limit)}`))}]::double precision[]`
    return sql`has_room(
      ${account}, ${DateTime.toDateUtc(now)}, ${room.within?.month ?? ""}, ${amounts(([, asked]) => asked)}, ${amounts(([limit]) => limit)}
    )`
  }

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
  room: room(sql),
  openPart,
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
