import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { ReservationId, type Reservation } from "../../core/model/Reservation.ts"
import { ReservationStore, type OpenRange } from "../../core/ports/ReservationStore.ts"
import { declaredObjects, type UploadDeclaration } from "../../core/rules/reservations.ts"
import type { Engine } from "./Engine.ts"
import { nextTurn } from "./nextTurn.ts"
import { openOf } from "./usage.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

/** Declarations up to this size are read together. */
const smallBytes = 4096

const uploadOf = ({ declaration, id }: Pick<Reservation, "id"> & { readonly declaration: UploadDeclaration }) => ({
  id,
  objects: declaredObjects(declaration)
})

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
  const newest = Schema.Struct({
    id: ReservationId,
    declaration: Schema.optionalKey(entities.open.fields.declaration)
  })
  const someNewest = decodeRows({ newest })
  const someOpen = decodeRows({ open: entities.open })
  const open = sql.literal(columns("open", "o"))
  const hosted = sql.literal(columns("hostedObject", "h"))
  const someHosted = decodeRows({ hostedObject: entities.hostedObject })
  const own = sql.literal(columns("quotas", "q"))
  const someForReserve = decodeRows({
    quotas: Schema.optionalKey(entities.quotas),
    hostedObject: Schema.optionalKey(entities.hostedObject),
    newest: Schema.optionalKey(newest)
  })
  const [upload, key] = [sql.literal(columns("upload", "v")), sql.literal(columns("key", "k"))]
  const withKey = (table: string, id: string) => sql`
    SELECT ${upload}, ${key} FROM ${sql.literal(table)} v LEFT JOIN api_keys k ON k.id = v.key_id WHERE v.id = ${id}
  `
  const add = (table: string, id: string, bytes: number) => sql`
    UPDATE ${sql.literal(table)} SET decompressed_bytes = COALESCE(decompressed_bytes, 0) + ${bytes} WHERE id = ${id}
  `
  /** The last open reservations to end, under the name `newest`, each with its declaration if that is small. */
  const newestOf = (account: string, { after, limit, until }: OpenRange) => {
    const of = (table: string) => sql`
      SELECT id, expires_at, declaration FROM (
        SELECT id, expires_at, CASE WHEN metadata_bytes <= ${smallBytes} THEN declaration END AS declaration
        FROM ${sql.literal(table)}
        WHERE account_id = ${account} AND finalized_at IS NULL
          AND expires_at > ${DateTime.toDateUtc(after)} AND expires_at <= ${DateTime.toDateUtc(until)}
        ORDER BY expires_at DESC, id DESC LIMIT ${limit}
      ) of_one_kind
    `
    return sql`(
      SELECT id, declaration FROM (${of("build_reservations")} UNION ALL ${of("previews")}) of_both_kinds
      ORDER BY expires_at DESC, id DESC LIMIT ${limit}
    ) newest`
  }
  const newestColumns = sql.literal(`newest.id AS "newest.id", newest.declaration AS "newest.declaration"`)
  const openById = (id: ReservationId) => {
    const from = (table: string) => sql`
      SELECT ${open} FROM ${sql.literal(table)} o WHERE o.id = ${id} AND o.finalized_at IS NULL
    `
    return sql`${from("build_reservations")} UNION ALL ${from("previews")}`.pipe(
      Effect.flatMap(someOpen),
      Effect.map((rows) => rows.map((row) => uploadOf(row.open)))
    )
  }
  /** A declaration may have 1,100 objects, so each that isn't small is read and decoded in a turn of its own. */
  const uploadsOf = (rows: ReadonlyArray<typeof newest.Type>) =>
    Effect.forEach(rows, ({ declaration, id }) =>
      declaration === undefined
        ? Effect.andThen(nextTurn, openById(id))
        : Effect.succeed([uploadOf({ id, declaration })])
    ).pipe(
      // One that was finalized or deleted meanwhile is not found.
      Effect.map((found) => found.flat())
    )

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
    findOpen: (account, range) =>
      sql`SELECT ${newestColumns} FROM ${newestOf(account, range)}`.pipe(
        Effect.flatMap(someNewest),
        Effect.flatMap((rows) => uploadsOf(rows.map((row) => row.newest))),
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
    // A row for each content, hosted or not, with the same quotas in each; one of the quotas alone where nothing is sought. Then a row
    // for each open reservation.
    findForReserve: (account, sought, range) =>
      sql`
        SELECT ${own}, ${hosted}, ${newestColumns}
        FROM (SELECT 1 AS part UNION ALL SELECT 2) parts
        LEFT JOIN ${newestOf(account, range)} ON part = 2
        LEFT JOIN account_quotas q ON part = 1 AND q.account_id = ${account}
        LEFT JOIN ${contents(JSON.stringify(sought))} ON part = 1
        LEFT JOIN hosted_objects h ON h.account_id = ${account}
          AND h.content_hash = asked.content_hash AND h.size_bytes = asked.size_bytes
      `.pipe(
        Effect.flatMap(someForReserve),
        Effect.flatMap((rows) => {
          const [quotas] = rows.flatMap((row) => row.quotas ?? [])
          return Effect.map(uploadsOf(rows.flatMap((row) => row.newest ?? [])), (open) => ({
            own: quotas === undefined ? {} : Struct.omit(quotas, ["accountId"]),
            hosted: rows.flatMap((row) => row.hostedObject ?? []),
            open
          }))
        }),
        orUnavailable
      )
  })
}
