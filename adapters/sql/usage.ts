/** Which columns hold what a row counts in its account's usage; triggers of each engine add them up. */
import type { SqlClient, Statement } from "effect/sql"
import { countedOf } from "../../core/rules/limits.ts"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { QuotaName } from "../../core/model/Account.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { decodeFirst, decodeRows } from "./values.ts"
import type { Engine } from "./Engine.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"

type Upload = Parameters<typeof countedOf>[0]

/** The tables of uploads. Their columns `declared_bytes`, `stored_bytes` and `uploaded_bytes` hold what `countedOf` says. */
export const uploadTables = ["build_reservations", "previews"] as const

/** The column that a row counts in the bytes that its account stores, until the row is deleted; nothing while it is null. */
export const storedAmounts = [
  { table: "build_reservations", column: "stored_bytes" },
  { table: "previews", column: "stored_bytes" },
  { table: "test_runs", column: "metadata_bytes" },
  { table: "hosted_objects", column: "size_bytes" }
] as const

/** The values of `declared_bytes, stored_bytes, uploaded_bytes` of an upload that is inserted. */
export const countedValues = (sql: SqlClient.SqlClient, upload: Upload): Statement.Fragment => {
  const { declaredBytes, storedBytes, uploadedBytes } = countedOf(upload)
  const amount = (bytes: number) => sql`CAST(${bytes} AS double precision)`
  return sql`${amount(declaredBytes)}, ${amount(storedBytes)}, ${amount(uploadedBytes)}`
}

/** The assignments of what an upload counts once it is finalized. */
export const countedAtFinalize = (sql: SqlClient.SqlClient, upload: Upload): Statement.Fragment => {
  const { storedBytes, uploadedBytes } = countedOf(upload)
  return sql`stored_bytes = ${storedBytes}, uploaded_bytes = ${uploadedBytes}`
}

/**
 * The amounts of an account's open reservations, under the name `open`, as one row that is read from the index of open ones: the first
 * `atMost` of each kind, or all.
 */
const openOf = (sql: SqlClient.SqlClient, account: string, now: DateTime.Utc, atMost?: number) => {
  const of = (table: string, previews: "0" | "1") => sql`
    SELECT * FROM (
      SELECT expires_at, declared_bytes, ${sql.literal(previews)} AS previews FROM ${sql.literal(table)}
      WHERE account_id = ${account} AND finalized_at IS NULL AND expires_at > ${DateTime.toDateUtc(now)}
      ORDER BY expires_at ${atMost === undefined ? sql.literal("") : sql`LIMIT ${atMost}`}
    ) of_one_kind
  `
  return sql`(
    SELECT
      count(*) AS reservations, min(expires_at) AS first_end, COALESCE(SUM(declared_bytes), 0) AS bytes,
      COALESCE(SUM(previews), 0) AS previews
    FROM (${of("build_reservations", "0")} UNION ALL ${of("previews", "1")}) each_open
  ) open`
}

/** How much of each quota an account uses, which triggers of the schema count, and how much a row of `openOf` would, if any. */
const partsOf = (sql: SqlClient.SqlClient, account: string, month: string) => {
  const sum = (what: string, from: Statement.Fragment) =>
    sql`(SELECT COALESCE(SUM(${sql.literal(what)}), 0) FROM ${from})`
  const ofMonth = sql`account_usage WHERE account_id = ${account} AND month = ${month}`
  const [bytes, previews] = [sql.literal("open.bytes"), sql.literal("open.previews")]
  const parts: Readonly<Record<QuotaName, readonly [used: Statement.Fragment, reserved?: Statement.Fragment]>> = {
    bytesStored: [sum("bytes", sql`account_stored_bytes WHERE account_id = ${account}`), bytes],
    bytesPerMonth: [sum("bytes", ofMonth), bytes],
    previewsPerMonth: [sum("previews", ofMonth), previews],
    runsPerMonth: [sum("runs", ofMonth)]
  }
  return parts
}

/**
 * The condition under which a commit of an account stays within its quotas and, if it stores another reservation, below its limit of
 * open ones. Concurrent statements don't see each other, so as many commits as there are connections can exceed these together.
 */
export const room = (
  sql: SqlClient.SqlClient,
  account: string,
  now: DateTime.Utc,
  { openBelow, within }: { readonly openBelow?: number | undefined; readonly within?: QuotaCheck | undefined }
): Statement.Fragment => {
  const conditions = openBelow === undefined ? [] : [sql`open.reservations < ${openBelow}`]
  let countsOpen = openBelow !== undefined
  if (within !== undefined) {
    const parts = partsOf(sql, account, within.month)
    for (const name of QuotaName.literals) {
      const [used, reserved] = parts[name]
      const limit = within.quotas[name]
      if (limit === undefined || within.requested[name] === 0) continue
      countsOpen ||= reserved !== undefined
      conditions.push(
        sql`${used} + ${reserved ?? sql.literal("0")} <= CAST(${limit - within.requested[name]} AS double precision)`
      )
    }
  }
  if (conditions.length === 0) return sql.literal("true")
  // A registration of a run reads no open reservations.
  return !countsOpen
    ? sql.and(conditions)
    : sql`(SELECT ${sql.and(conditions)} FROM ${openOf(sql, account, now, openBelow)})`
}

const sums = Schema.Struct({
  bytesStored: Schema.Finite,
  bytesPerMonth: Schema.Finite,
  previewsPerMonth: Schema.Finite,
  runsPerMonth: Schema.Finite
})

export const usageStore = ({ columns, entities, orUnavailable, orWriteFailure, sql }: Engine) => {
  const own = sql.literal(columns("quotas", "q"))
  const standing = decodeFirst({ used: sums, reserved: sums, quotas: Schema.optionalKey(entities.quotas) })
  const column = (entity: string, name: QuotaName, amount: Statement.Fragment) =>
    sql`CAST(${amount} AS double precision) AS ${sql.literal(`"${entity}.${name}"`)}`

  return UsageStore.of({
    find: (account, month, now) => {
      const parts = partsOf(sql, account, month)
      return sql`
        SELECT ${sql.csv(
          QuotaName.literals.flatMap((name) => {
            const [used, reserved = sql.literal("0")] = parts[name]
            return [column("used", name, used), column("reserved", name, reserved)]
          })
        )}, ${own}
        FROM ${openOf(sql, account, now)} LEFT JOIN account_quotas q ON q.account_id = ${account}
      `.pipe(
        Effect.flatMap(standing),
        Effect.map((row) => {
          const { quotas, reserved, used } = Option.getOrThrow(row)
          return { used, reserved, own: quotas === undefined ? {} : Struct.omit(quotas, ["accountId"]) }
        }),
        orUnavailable
      )
    },
    setQuotas: ({ accountId, bytesStored, bytesPerMonth, previewsPerMonth, runsPerMonth }) =>
      sql`
        INSERT INTO account_quotas (account_id, bytes_stored, bytes_per_month, previews_per_month, runs_per_month)
        VALUES (
          ${accountId}, ${bytesStored ?? null}, ${bytesPerMonth ?? null}, ${previewsPerMonth ?? null}, ${runsPerMonth ?? null}
        )
        ON CONFLICT (account_id) DO UPDATE SET
          bytes_stored = excluded.bytes_stored, bytes_per_month = excluded.bytes_per_month,
          previews_per_month = excluded.previews_per_month, runs_per_month = excluded.runs_per_month
      `.pipe(Effect.asVoid, orWriteFailure)
  })
}

export const reservationStore = ({
  columns,
  contents,
  entities,
  orUnavailable,
  orWriteFailure,
  sql,
  Time,
  together
}: Engine) => {
  const counted = decodeFirst({ open: Schema.Struct({ count: Schema.Int, firstEnd: Schema.optionalKey(Time) }) })
  const found = decodeFirst({ upload: entities.upload, key: Schema.optionalKey(entities.key) })
  const hosted = sql.literal(columns("hostedObject", "h"))
  const someHosted = decodeRows({ hostedObject: entities.hostedObject })
  const own = sql.literal(columns("quotas", "q"))
  const someForReserve = decodeRows({
    quotas: Schema.optionalKey(entities.quotas),
    hostedObject: Schema.optionalKey(entities.hostedObject)
  })
  const [upload, key] = [sql.literal(columns("upload", "v")), sql.literal(columns("key", "k"))]
  const withKey = (table: string, id: string) => sql`
    SELECT ${upload}, ${key} FROM ${sql.literal(table)} v LEFT JOIN api_keys k ON k.id = v.key_id WHERE v.id = ${id}
  `
  const add = (table: string, id: string, bytes: number) => sql`
    UPDATE ${sql.literal(table)} SET decompressed_bytes = COALESCE(decompressed_bytes, 0) + ${bytes} WHERE id = ${id}
  `
  return ReservationStore.of({
    countOpen: (account, now, atMost) =>
      sql`
        SELECT CAST(reservations AS integer) AS "open.count", first_end AS "open.firstEnd"
        FROM ${openOf(sql, account, now, atMost)}
      `.pipe(
        Effect.flatMap(counted),
        Effect.map((row) =>
          Option.match(row, {
            onNone: () => ({ count: 0, firstEnd: Option.none() }),
            onSome: ({ open }) => ({
              count: Math.min(open.count, atMost),
              firstEnd: Option.fromUndefinedOr(open.firstEnd)
            })
          })
        ),
        orUnavailable
      ),
    findForPut: (id) =>
      sql`${withKey("build_reservations", id)} UNION ALL ${withKey("previews", id)}`.pipe(
        Effect.flatMap(found),
        Effect.map(Option.map((row) => ({ reservation: row.upload, key: Option.fromUndefinedOr(row.key) }))),
        orUnavailable
      ),
    addDecompressed: (id, bytes) =>
      orWriteFailure(together([add("build_reservations", id, bytes), add("previews", id, bytes)])),
    findHosted: (account, sought) =>
      sql`
        SELECT ${hosted} FROM ${contents(JSON.stringify(sought))} CROSS JOIN hosted_objects h
        WHERE h.account_id = ${account} AND h.content_hash = asked.content_hash AND h.size_bytes = asked.size_bytes
      `.pipe(
        Effect.flatMap(someHosted),
        Effect.map((rows) => rows.map((row) => row.hostedObject)),
        orUnavailable
      ),
    // A row for each content, hosted or not, with the same quotas in each; one of the quotas alone where nothing is sought.
    findForReserve: (account, sought) =>
      sql`
        SELECT ${own}, ${hosted}
        FROM (SELECT 1) one
        LEFT JOIN account_quotas q ON q.account_id = ${account}
        LEFT JOIN ${contents(JSON.stringify(sought))} ON true
        LEFT JOIN hosted_objects h ON h.account_id = ${account}
          AND h.content_hash = asked.content_hash AND h.size_bytes = asked.size_bytes
      `.pipe(
        Effect.flatMap(someForReserve),
        Effect.map((rows) => {
          const [quotas] = rows.flatMap((row) => row.quotas ?? [])
          return {
            own: quotas === undefined ? {} : Struct.omit(quotas, ["accountId"]),
            hosted: rows.flatMap((row) => row.hostedObject ?? [])
          }
        }),
        orUnavailable
      )
  })
}
