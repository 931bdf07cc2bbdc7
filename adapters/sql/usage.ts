import { DateTime, Effect, Option, Schema, Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { QuotaName } from "../../core/model/Quota.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { decodeFirst } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"

/**
 * The amounts of an account's open reservations, under the name `open`, as one row that is read from the index of open ones: the first
 * `atMost` of each kind, or all.
 */
export const openOf = (sql: SqlClient.SqlClient, account: string, now: DateTime.Utc, atMost?: number) => {
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
