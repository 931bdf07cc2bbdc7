import { DateTime, Effect, Option, Schema, Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ReservationId, type Reservation } from "../../core/model/Reservation.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { declaredObjects } from "../../core/rules/reservations.ts"
import type { QuotaCheck } from "../../core/ports/UsageStore.ts"
import type { Engine } from "./Engine.ts"
import { nextTurn } from "./nextTurn.ts"
import { withinQuotas } from "./usage.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

/** The ends of an account's open reservations, the first `atMost` of each kind, read from the index of open ones. */
const openEnds = (sql: SqlClient.SqlClient, account: string, now: DateTime.Utc, atMost: number): Statement.Fragment => {
  const of = (table: string) => sql`
    SELECT expires_at FROM (
      SELECT expires_at FROM ${sql.literal(table)}
      WHERE account_id = ${account} AND finalized_at IS NULL AND expires_at > ${DateTime.toDateUtc(now)}
      ORDER BY expires_at LIMIT ${atMost}
    ) of_one_kind
  `
  return sql`${of("build_reservations")} UNION ALL ${of("previews")}`
}

/**
 * The condition under which a commit may store another reservation of the account. Concurrent statements don't see each
 * other, so the limit can be exceeded by at most the number of connections.
 */
export const room = (
  sql: SqlClient.SqlClient,
  { accountId, reservedAt }: Pick<Reservation, "accountId" | "reservedAt">,
  { openBelow, within }: { readonly openBelow?: number | undefined; readonly within?: QuotaCheck | undefined }
): Statement.Fragment =>
  sql.and([
    openBelow === undefined
      ? sql.literal("true")
      : sql`(SELECT count(*) FROM (${openEnds(sql, accountId, reservedAt, openBelow)}) open) < ${openBelow}`,
    withinQuotas(sql, accountId, reservedAt, within)
  ])

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
  const someNewest = decodeRows({ newest: Schema.Struct({ id: ReservationId }) })
  const someOpen = decodeRows({ open: entities.open })
  const open = sql.literal(columns("open", "o"))
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
        SELECT CAST(count(*) AS integer) AS "open.count", min(expires_at) AS "open.firstEnd"
        FROM (${openEnds(sql, account, now, atMost)}) open
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
    findOpen: (account, { after, limit, until }) => {
      const of = (table: string) => sql`
        SELECT id, expires_at FROM (
          SELECT id, expires_at FROM ${sql.literal(table)}
          WHERE account_id = ${account} AND finalized_at IS NULL
            AND expires_at > ${DateTime.toDateUtc(after)} AND expires_at <= ${DateTime.toDateUtc(until)}
          ORDER BY expires_at DESC, id DESC LIMIT ${limit}
        ) of_one_kind
      `
      const read = (id: ReservationId) => {
        const from = (table: string) => sql`
          SELECT ${open} FROM ${sql.literal(table)} o WHERE o.id = ${id} AND o.finalized_at IS NULL
        `
        return sql`${from("build_reservations")} UNION ALL ${from("previews")}`.pipe(
          Effect.flatMap(someOpen),
          Effect.map((rows) =>
            rows.map(({ open: { declaration, id } }) => ({ id, objects: declaredObjects(declaration) }))
          )
        )
      }
      return sql`
        SELECT id AS "newest.id" FROM (${of("build_reservations")} UNION ALL ${of("previews")}) newest
        ORDER BY expires_at DESC, id DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(someNewest),
        // A declaration may have 1,100 objects, so each is read and decoded in a turn of its own.
        Effect.flatMap((rows) => Effect.forEach(rows, ({ newest }) => Effect.andThen(nextTurn, read(newest.id)))),
        // One that was finalized or deleted meanwhile is not found.
        Effect.map((found) => found.flat()),
        orUnavailable
      )
    },
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
          const quotas = rows[0]?.quotas
          return {
            own: quotas === undefined ? {} : Struct.omit(quotas, ["accountId"]),
            hosted: rows.flatMap((row) => row.hostedObject ?? [])
          }
        }),
        orUnavailable
      )
  })
}
