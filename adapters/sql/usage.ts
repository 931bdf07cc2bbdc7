import { DateTime, Effect, Option, Schema, Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { QuotaName } from "../../core/model/Quota.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { decodeFirst } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"

/** How much of each quota an account uses, and how much its open reservations would. Triggers of the schema count what is used. */
const partsOf = (sql: SqlClient.SqlClient, account: string, month: string, now: DateTime.Utc) => {
  const sum = (what: string, from: Statement.Fragment) =>
    sql`(SELECT COALESCE(SUM(${sql.literal(what)}), 0) FROM ${from})`
  const ofMonth = sql`account_usage WHERE account_id = ${account} AND month = ${month}`
  const open = (table: string) =>
    sql`${sql.literal(table)} WHERE account_id = ${account} AND finalized_at IS NULL AND expires_at > ${DateTime.toDateUtc(now)}`
  const [builds, previews] = [open("build_reservations"), open("previews")]
  const openBytes = sql`(${sum("declared_bytes", builds)} + ${sum("declared_bytes", previews)})`
  const parts: Readonly<Record<QuotaName, readonly [used: Statement.Fragment, reserved: Statement.Fragment]>> = {
    bytesStored: [sum("bytes", sql`account_stored_bytes WHERE account_id = ${account}`), openBytes],
    bytesPerMonth: [sum("bytes", ofMonth), openBytes],
    previewsPerMonth: [sum("previews", ofMonth), sql`(SELECT count(*) FROM ${previews})`],
    runsPerMonth: [sum("runs", ofMonth), sql`0`]
  }
  return parts
}

/**
 * The condition under which a commit stays within an account's quotas. Concurrent statements don't see each other, so as many
 * commits as there are connections can exceed a quota together.
 */
export const withinQuotas = (
  sql: SqlClient.SqlClient,
  account: string,
  now: DateTime.Utc,
  within: QuotaCheck | undefined
): Statement.Fragment => {
  if (within === undefined) return sql.literal("true")
  const parts = partsOf(sql, account, within.month, now)
  const conditions = QuotaName.literals.flatMap((name) => {
    const [used, reserved] = parts[name]
    const limit = within.quotas[name]
    return limit === undefined || within.requested[name] === 0
      ? []
      : [sql`${used} + ${reserved} <= CAST(${limit - within.requested[name]} AS double precision)`]
  })
  return conditions.length === 0 ? sql.literal("true") : sql.and(conditions)
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
      const parts = partsOf(sql, account, month, now)
      return sql`
        SELECT ${sql.csv(
          QuotaName.literals.flatMap((name) => {
            const [used, reserved] = parts[name]
            return [column("used", name, used), column("reserved", name, reserved)]
          })
        )}, ${own}
        FROM (SELECT 1) asked LEFT JOIN account_quotas q ON q.account_id = ${account}
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
