import { Effect, Option, Schema, Struct } from "effect"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import type { Engine } from "./Engine.ts"
import { openOf } from "./usage.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

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
