/** Which columns hold what a row counts in its account's usage; triggers of each engine add them up. */
import type { SqlClient, Statement } from "effect/sql"
import { countedOf } from "../../core/rules/limits.ts"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { QuotaName } from "../../core/model/Account.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import { decodeFirst, decodeRows } from "./values.ts"
import type { Engine, Room } from "./Engine.ts"
import type { Content } from "../../core/model/HostedObject.ts"
import { type AccountForReserve, ReservationStore } from "../../core/ports/ReservationStore.ts"

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

/** How many previews an upload of each table counts. */
export const previewsOf: Readonly<Record<(typeof uploadTables)[number], "0" | "1">> = {
  build_reservations: "0",
  previews: "1"
}

/**
 * The query of what is open at a time, as one row `reservations, bytes, previews`. `account_open_uploads` counts the uploads that are not
 * finalized and expire after its `as_of`, in parts that triggers change and that begin with the account's id; the uploads that expire between that and the time are added or
 * subtracted. `parts` is the condition of the rows `o` to sum up, `at` the time, and `part` the part of an upload `v`; the first two may
 * read `asked`, a table of one row.
 */
export const openQuery = ({
  asked,
  at,
  part,
  parts
}: {
  readonly asked?: string
  readonly at: string
  readonly part: string
  readonly parts: string
}): string => {
  const counters = `${asked === undefined ? "" : `${asked} CROSS JOIN `}account_open_uploads o`
  // Subqueries of each row of counters, so that every planner reads the few uploads from the index of open ones, even without statistics.
  const moved = (amount: string, table: (typeof uploadTables)[number]) => `(
    SELECT ${amount} FROM ${table} v
    WHERE ${part} = o.part AND v.finalized_at IS NULL AND v.expires_at > CASE WHEN o.as_of < ${at} THEN o.as_of ELSE ${at} END
      AND v.expires_at <= CASE WHEN o.as_of < ${at} THEN ${at} ELSE o.as_of END
  )`
  const [builds, previews] = uploadTables
  const bytes = "COALESCE(SUM(v.declared_bytes), 0)"
  return `
    SELECT
      COALESCE(SUM(reservations + sign * (moved_builds + moved_previews)), 0) AS reservations,
      COALESCE(SUM(bytes + sign * moved_bytes), 0) AS bytes,
      COALESCE(SUM(previews + sign * moved_previews), 0) AS previews
    FROM (
      SELECT
        o.reservations, o.bytes, o.previews, CASE WHEN o.as_of < ${at} THEN -1 ELSE 1 END AS sign,
        ${moved("count(*)", builds)} AS moved_builds, ${moved("count(*)", previews)} AS moved_previews,
        ${moved(bytes, builds)} + ${moved(bytes, previews)} AS moved_bytes
      FROM ${counters} WHERE ${parts}
    ) of_each`
}

/** The counters of existing uploads, for a migration: see {@link openQuery}. `now` is the time as of which they count. */
export const recountOpen = (part: string, now: string): string => {
  const counted = (amount: string) => `COALESCE(SUM(CASE WHEN v.expires_at > ${now} THEN ${amount} ELSE 0 END), 0)`
  const uploads = uploadTables.map(
    (table) =>
      `SELECT id, account_id, expires_at, declared_bytes, ${previewsOf[table]} AS previews FROM ${table} WHERE finalized_at IS NULL`
  )
  return `
    INSERT INTO account_open_uploads (account_id, part, as_of, reservations, bytes, previews)
    SELECT account_id, ${part}, ${now}, ${counted("1")}, ${counted("v.declared_bytes")}, ${counted("v.previews")}
    FROM (${uploads.join(" UNION ALL ")}) v GROUP BY account_id, ${part}`
}

/** What an account has open at a time, in parentheses and under the name `open`. */
const openOf = ({ openPart, sql }: Pick<Engine, "openPart" | "sql">, account: string, now: DateTime.Utc) => {
  const query = openQuery({
    asked: "asked",
    parts: "o.account_id = asked.account_id",
    at: "asked.at",
    part: openPart
  })
  const at = sql`CAST(${DateTime.toDateUtc(now)} AS timestamptz)`
  return sql`(WITH asked (account_id, at) AS NOT MATERIALIZED (SELECT CAST(${account} AS text), ${at}) ${sql.literal(query)}) open`
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

/** The limits of an account that a commit adds to: `[the limit, how much it adds]`, `undefined` for the others. */
export const limitsOf = ({
  openBelow,
  within
}: Room): Readonly<Record<QuotaName | "reservations", readonly [limit: number, asked: number] | undefined>> => {
  const of = (name: QuotaName) => {
    const [limit, asked] = [within?.quotas[name], within?.requested[name] ?? 0]
    return limit === undefined || asked === 0 ? undefined : ([limit, asked] as const)
  }
  return {
    bytesStored: of("bytesStored"),
    bytesPerMonth: of("bytesPerMonth"),
    previewsPerMonth: of("previewsPerMonth"),
    runsPerMonth: of("runsPerMonth"),
    reservations: openBelow === undefined ? undefined : [openBelow, 1]
  }
}

/** The condition under which a commit stays within its limits, where writes take turns. */
export const roomInTurn =
  (engine: Pick<Engine, "openPart" | "sql">): Engine["room"] =>
  (account, now, room) => {
    const { sql } = engine
    const limits = limitsOf(room)
    const parts = partsOf(sql, account, room.within?.month ?? "")
    const below = ([limit, asked]: readonly [number, number], used: Statement.Fragment, reserved = sql.literal("0")) =>
      sql`${used} + ${reserved} <= ${limit - asked}`
    const { reservations } = limits
    const conditions = QuotaName.literals.flatMap((name) => {
      const limit = limits[name]
      return limit === undefined ? [] : [below(limit, ...parts[name])]
    })
    if (reservations !== undefined) conditions.push(below(reservations, sql.literal("open.reservations")))
    if (conditions.length === 0) return sql.literal("true")
    return sql`(SELECT ${sql.and(conditions)} FROM ${openOf(engine, account, now)})`
  }

const sums = Schema.Struct({
  bytesStored: Schema.Finite,
  bytesPerMonth: Schema.Finite,
  previewsPerMonth: Schema.Finite,
  runsPerMonth: Schema.Finite
})

export const usageStore = (engine: Engine) => {
  const { columns, entities, orUnavailable, orWriteFailure, sql } = engine
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
        FROM ${openOf(engine, account, now)} LEFT JOIN account_quotas q ON q.account_id = ${account}
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

export const reservationStore = (engine: Engine) => {
  const { columns, contents, entities, openPart, orUnavailable, orWriteFailure, sql, Time, together } = engine
  const counted = decodeFirst({ open: Schema.Struct({ count: Schema.Int, firstEnd: Schema.optionalKey(Time) }) })
  const found = decodeFirst({ upload: entities.upload, key: Schema.optionalKey(entities.key) })
  const hosted = sql.literal(columns("hostedObject", "h"))
  const someHosted = decodeRows({ hostedObject: entities.hostedObject })
  const forReserve = accountForReserve(engine)
  const [upload, key] = [sql.literal(columns("upload", "v")), sql.literal(columns("key", "k"))]
  const withKey = (table: string, id: string) => sql`
    SELECT ${upload}, ${key} FROM ${sql.literal(table)} v LEFT JOIN api_keys k ON k.id = v.key_id WHERE v.id = ${id}
  `
  const add = (table: string, id: string, bytes: number) => sql`
    UPDATE ${sql.literal(table)} SET decompressed_bytes = COALESCE(decompressed_bytes, 0) + ${bytes} WHERE id = ${id}
  `
  /** When the first open upload of each part ends. */
  const firstEnd = (table: (typeof uploadTables)[number], account: string, now: DateTime.Utc) => sql`
    SELECT (
      SELECT v.expires_at FROM ${sql.literal(table)} v
      WHERE ${sql.literal(openPart)} = o.part AND v.finalized_at IS NULL
        AND v.expires_at > ${DateTime.toDateUtc(now)}
      ORDER BY v.expires_at LIMIT 1
    ) AS first_end FROM account_open_uploads o WHERE o.account_id = ${account}
  `
  return ReservationStore.of({
    countOpen: (account, now, atMost) =>
      sql`
        SELECT CAST(open.reservations AS integer) AS "open.count", ends.first_end AS "open.firstEnd"
        FROM ${openOf(engine, account, now)}
        CROSS JOIN (
          SELECT min(first_end) AS first_end FROM (
            ${firstEnd("build_reservations", account, now)} UNION ALL ${firstEnd("previews", account, now)}
          ) of_each_part
        ) ends
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
    // One row with the quotas at least.
    findForReserve: (account, sought) =>
      sql`
        SELECT ${forReserve.columns} FROM (SELECT CAST(${account} AS text) AS account_id) one ${forReserve.joined(sql`one.account_id`, sought)}
      `.pipe(Effect.flatMap(forReserve.read), orUnavailable)
  })
}

/**
 * What a reserve needs of an account, for a statement that may find something else too: a row for each of the contents, with its object if
 * it is hosted, or one row without contents. The quotas are in each.
 */
export const accountForReserve = ({ columns, contents, entities, sql }: Engine) => {
  const quotas = decodeFirst({ quotas: Schema.optionalKey(entities.quotas) })
  const objects = decodeRows({ hostedObject: Schema.optionalKey(entities.hostedObject) })
  return {
    columns: sql.literal(`${columns("quotas", "q")}, ${columns("hostedObject", "h")}`),
    /** Joins the account that an expression names. */
    joined: (account: Statement.Fragment, sought: ReadonlyArray<Content>) => sql`
      LEFT JOIN account_quotas q ON q.account_id = ${account}
      LEFT JOIN ${contents(JSON.stringify(sought))} ON true
      LEFT JOIN hosted_objects h ON h.account_id = ${account}
        AND h.content_hash = asked.content_hash AND h.size_bytes = asked.size_bytes
    `,
    read: (rows: ReadonlyArray<object>) =>
      Effect.map(Effect.all([quotas(rows), objects(rows)]), ([first, found]): AccountForReserve => {
        const own = Option.getOrUndefined(first)?.quotas
        return {
          own: own === undefined ? {} : Struct.omit(own, ["accountId"]),
          hosted: found.flatMap((row) => row.hostedObject ?? [])
        }
      })
  }
}
