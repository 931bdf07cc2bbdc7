/** The commits that delete. Each is one transaction, whose first statement changes the row only if it is as it was loaded. */
import { Array, DateTime, Effect, Option, Schema } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import type { AccountId } from "../../core/model/Account.ts"
import type { Removal } from "../../core/model/HostedObject.ts"
import type { Resource } from "../../core/model/Resource.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import type { PreviewStore } from "../../core/ports/PreviewStore.ts"
import type { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { storedBy } from "../../core/rules/reservations.ts"
import { decodeRows, digest } from "./values.ts"
import { orConflict, type Engine } from "./Engine.ts"
import { historyParts } from "./testHistories.ts"
import { encodeResource } from "./shareLinks.ts"
import type { SqlError } from "effect/sql"
import { Erasure, type ErasedCounts, type ErasedKind } from "../../core/model/Erasure.ts"
import { Reservation } from "../../core/model/Reservation.ts"
import { ErasureStore, type ErasureStep } from "../../core/ports/ErasureStore.ts"
import { addErasedCounts, hostedBy } from "../../core/rules/sweeps.ts"

/** How many rows one statement inserts; an engine takes some ten thousand parameters. */
const batch = 500

/** Parts of these transactions: they delete share links, and store the removals of objects. */
export const deletionParts = ({ lockedBy, sql }: Engine) => ({
  endLinks: (account: AccountId, shared: Resource) =>
    sql`DELETE FROM share_links WHERE account_id = ${account} AND shared = ${encodeResource(shared)}`,

  /**
   * Forgets what an account has hosted below a prefix, unless the upload that stored it is there, or one that shares it. It runs
   * after the uploads are deleted. The objects are locked first, in the order in which `keepHosted` writes them: then whatever shares
   * one of them is either committed, and seen by the second statement, or finds it gone. Sharing is a subquery of each row, because
   * PostgreSQL may plan `NOT EXISTS` as a join that reads everything that is shared.
   */
  forgetHosted: (account: AccountId, prefix: string) => {
    const storing = storedBy(prefix)
    if (storing === undefined) return Effect.void
    const below = sql`object_key >= ${prefix} AND object_key < ${`${prefix.slice(0, -1)}0`} AND account_id = ${account}`
    const isIn = (table: string) => sql`EXISTS (SELECT 1 FROM ${sql.literal(table)} WHERE id = ${storing})`
    return sql`SELECT 1 FROM hosted_objects WHERE ${below} ${lockedBy("content_hash, size_bytes")}`.pipe(
      Effect.andThen(sql`
        DELETE FROM hosted_objects
        WHERE ${below} AND NOT ${isIn("build_reservations")} AND NOT ${isIn("previews")}
          AND (SELECT 1 FROM shared_objects s WHERE s.object_key = hosted_objects.object_key LIMIT 1) IS NULL
      `)
    )
  },

  insertRemovals: (removals: ReadonlyArray<Removal>) =>
    Effect.forEach(
      Array.chunksOf(removals, batch),
      (some) =>
        sql`
          INSERT INTO removals ${sql.insert(
            Array.map(some, ({ accountId, dueAt, id, prefix, settledAt, since }) => ({
              id,
              account_id: accountId,
              prefix,
              since: DateTime.toDateUtc(since),
              settled_at: DateTime.toDateUtc(settledAt),
              due_at: DateTime.toDateUtc(dueAt)
            }))
          )}
        `,
      { discard: true }
    )
})

export const buildDeletion = (engine: Engine): Pick<BuildStore["Service"], "loadForDelete" | "commitDelete"> => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { endLinks, forgetHosted, insertRemovals } = deletionParts(engine)
  const loaded = sql.literal(`${columns("build", "b")}, ${columns("upload", "v")}`)
  const rows = decodeRows({ build: entities.build, upload: entities.upload })
  return {
    loadForDelete: (account, id) =>
      sql`
        SELECT ${loaded}
        FROM builds b
        JOIN repositories r ON r.id = b.repository_id AND r.linked
        JOIN build_reservations v ON v.build_id = b.id
        WHERE b.id = ${id} AND b.account_id = ${account}
      `.pipe(
        Effect.flatMap(rows),
        Effect.map((all) =>
          Option.map(Option.fromUndefinedOr(all[0]), ({ build }) => ({
            build,
            reservations: all.map(({ upload }) => upload)
          }))
        ),
        orUnavailable
      ),
    commitDelete: ({ build: { accountId, id, version }, removals }) =>
      orConflict(sql`
        UPDATE builds SET version = version + 1
        WHERE id = ${id} AND account_id = ${accountId} AND version = ${version}
        RETURNING id
      `).pipe(
        Effect.andThen(sql`DELETE FROM build_reservations WHERE build_id = ${id}`),
        Effect.andThen(sql`DELETE FROM builds WHERE id = ${id}`),
        Effect.andThen(endLinks(accountId, { build: id })),
        Effect.andThen(Effect.forEach(removals, ({ prefix }) => forgetHosted(accountId, prefix), { discard: true })),
        Effect.andThen(insertRemovals(removals)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      )
  }
}

export const previewDeletion = (engine: Engine): Pick<PreviewStore["Service"], "commitDelete"> => {
  const { inTransaction, orWriteFailure, sql } = engine
  const { endLinks, forgetHosted, insertRemovals } = deletionParts(engine)
  return {
    commitDelete: ({ preview: { accountId, shareId }, removals }) =>
      orConflict(sql`
        DELETE FROM previews WHERE share_id = ${shareId} AND account_id = ${accountId} RETURNING id
      `).pipe(
        Effect.andThen(endLinks(accountId, { preview: shareId })),
        Effect.andThen(Effect.forEach(removals, ({ prefix }) => forgetHosted(accountId, prefix), { discard: true })),
        Effect.andThen(insertRemovals(removals)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      )
  }
}

export const runDeletion = (engine: Engine): Pick<TestRunStore["Service"], "commitDelete"> => {
  const { inTransaction, orWriteFailure, sql } = engine
  const { endLinks } = deletionParts(engine)
  const { hold, isCurrent, store } = historyParts(engine)
  return {
    commitDelete: ({ accountId, id }, history) =>
      hold(history).pipe(
        Effect.andThen(
          orConflict(sql`
            DELETE FROM test_runs
            WHERE id = ${id} AND account_id = ${accountId} AND ${isCurrent(history)}
            RETURNING id
          `)
        ),
        Effect.andThen(store(history)),
        Effect.andThen(endLinks(accountId, { run: id })),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      )
  }
}

/** A table with records of an account. */
interface Erased {
  readonly kind: ErasedKind
  readonly table: string
  /** The columns that identify a row. */
  readonly key: readonly [string, ...Array<string>]
  /** What names the account; `account_id` unless given. */
  readonly account?: string
  /** What goes with a row: the table and its column that names the row, and how its rows are counted, if they are. */
  readonly also?: { readonly table: string; readonly column: string; readonly kind?: ErasedKind }
  /** Tables, and their columns that name a row; a row that they name stays. */
  readonly unless?: ReadonlyArray<readonly [table: string, column: string]>
}

/** In an order in which no row is named by one of a later table. */
const tables: ReadonlyArray<Erased> = [
  { kind: "keys", table: "api_keys", key: ["id"], also: { table: "sessions", column: "key_id", kind: "sessions" } },
  { kind: "shareLinks", table: "share_links", key: ["id"] },
  { kind: "answers", table: "idempotency_keys", key: ["account_id", "key_hash"] },
  { kind: "trusts", table: "repository_trusts", key: ["repository_id", "issuer"] },
  { kind: "runs", table: "test_runs", key: ["id"] },
  { kind: "histories", table: "test_histories", key: ["test_id", "branch_digest"] },
  { kind: "ciRuns", table: "ci_runs", key: ["repository_id", "ci_run"] },
  { kind: "builds", table: "builds", key: ["id"], unless: [["build_reservations", "build_id"]] },
  { kind: "billedRuns", table: "billed_test_runs", key: ["preview_id"] },
  { kind: "contents", table: "hosted_objects", key: ["account_id", "content_hash", "size_bytes"] },
  { kind: "webhooks", table: "webhooks", key: ["id"], also: { table: "delivery_attempts", column: "webhook" } },
  { kind: "events", table: "outbox", key: ["event_id"], account: "(event ->> 'account')" },
  { kind: "auditEntries", table: "audit_entries", key: ["id"] },
  { kind: "retention", table: "account_retention", key: ["account_id"] },
  { kind: "quotas", table: "account_quotas", key: ["account_id"] },
  {
    kind: "repositories",
    table: "repositories",
    key: ["id"],
    unless: [
      ["builds", "repository_id"],
      ["previews", "repository_id"],
      ["test_runs", "repository_id"],
      ["test_histories", "repository_id"],
      ["ci_runs", "repository_id"],
      ["repository_trusts", "repository_id"]
    ]
  }
]

const Sized = Schema.Array(Schema.Struct({ sizeBytes: Schema.Finite }))
const Sizes = Schema.Struct({ bundleSizeBytes: Schema.Finite, files: Sized, recordings: Schema.optionalKey(Sized) })

const encodeErasure = jsonEncoder(Erasure)

export const erasureStore = (engine: Engine) => {
  const { entities, free, inTransaction, json, lockedBy, orUnavailable, orWriteFailure, sql, Time } = engine
  const { forgetHosted, insertRemovals } = deletionParts(engine)
  const { accountId, id } = Reservation.fields
  const erasedRows = decodeRows({
    account: Schema.Struct({ id: accountId, erasure: Schema.fromJsonString(Erasure) })
  })
  const uploadRows = decodeRows({
    upload: Schema.Struct({
      id,
      accountId,
      expiresAt: Time,
      finalizedAt: Schema.optionalKey(Time),
      stored: entities.upload.fields.stored,
      declaration: json(Sizes)
    })
  })
  const erased = sql`SELECT id AS "account.id", erasure AS "account.erasure" FROM accounts WHERE erasure IS NOT NULL`

  const uploadsIn = (table: string, account: AccountId, limit: number) =>
    limit <= 0
      ? Effect.succeed([])
      : sql`
          SELECT id AS "upload.id", account_id AS "upload.accountId", expires_at AS "upload.expiresAt",
            finalized_at AS "upload.finalizedAt", stored AS "upload.stored", declaration AS "upload.declaration"
          FROM ${sql.literal(table)}
          WHERE account_id = ${account}
            AND EXISTS (SELECT 1 FROM accounts WHERE id = ${account} AND erasure IS NOT NULL)
          ORDER BY id LIMIT ${limit}
        `.pipe(
          Effect.flatMap(uploadRows),
          Effect.map((rows) =>
            rows.map(({ upload: { declaration, finalizedAt, ...upload } }) => ({
              ...upload,
              ...hostedBy(finalizedAt, declaration)
            }))
          )
        )

  const eraseUploads = Effect.fnUntraced(function* ({
    account,
    uploads
  }: Pick<Parameters<ErasureStore["Service"]["eraseStep"]>[0], "account" | "uploads">): Effect.fn.Return<
    ErasedCounts,
    SqlError.SqlError
  > {
    const ids = uploads.map(({ id }) => id)
    const among = sql.and([sql`account_id = ${account}`, sql.in("id", ids)])
    // A finalize that is under way was decided on the version before.
    yield* sql`
      UPDATE builds SET version = version + 1 WHERE id IN (SELECT build_id FROM build_reservations WHERE ${among})
    `
    const ofBuilds = yield* sql<{ readonly id: string }>`DELETE FROM build_reservations WHERE ${among} RETURNING id`
    const previews = yield* sql<{ readonly id: string }>`DELETE FROM previews WHERE ${among} RETURNING id`
    const taken = new Set([...ofBuilds, ...previews].map(({ id }) => id))
    const gone = uploads.filter(({ id }) => taken.has(id))
    const removals = gone.flatMap((one) => one.removals)
    yield* Effect.forEach(removals, ({ prefix }) => forgetHosted(account, prefix), { discard: true })
    yield* insertRemovals(removals)
    return {
      uploads: ofBuilds.length,
      previews: previews.length,
      objects: gone.reduce((sum, { objects }) => sum + objects, 0),
      bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0)
    }
  })

  /** Takes rows of one table. They are locked before it is looked at what names them; what others have locked, a later step takes. */
  const eraseRows = Effect.fnUntraced(function* (
    { account: of = "account_id", also, key, kind, table, unless = [] }: Erased,
    account: AccountId,
    limit: number
  ): Effect.fn.Return<ErasedCounts, SqlError.SqlError> {
    const columns = sql.literal(key.join(", "))
    const rows = yield* sql<Readonly<Record<string, string | number>>>`
      SELECT ${columns} FROM ${sql.literal(table)} WHERE ${sql.literal(of)} = ${account}
      LIMIT ${limit} ${free}
    `
    if (!Array.isReadonlyArrayNonEmpty(rows)) return {}
    const values = rows.map((row) => sql`(${sql.csv(key.map((column) => sql`${row[column] ?? null}`))})`)
    const [first] = key
    const ids = rows.map((row) => row[first] ?? "")
    const others =
      also === undefined
        ? []
        : yield* sql`
            DELETE FROM ${sql.literal(also.table)} WHERE ${sql.in(also.column, ids)} RETURNING 1 AS one
          `
    const among = key.length === 1 ? sql.in(first, ids) : sql`(${columns}) IN (VALUES ${sql.csv(values)})`
    const unnamed = unless.map(
      ([named, column]) =>
        sql`NOT EXISTS (SELECT 1 FROM ${sql.literal(named)} x WHERE ${sql.literal(`x.${column} = ${table}.${first}`)})`
    )
    const taken = yield* sql`
      DELETE FROM ${sql.literal(table)} WHERE ${sql.and([among, ...unnamed])} RETURNING 1 AS one
    `
    return { [kind]: taken.length, ...(also?.kind === undefined ? {} : { [also.kind]: others.length }) }
  })

  const eraseOthers = Effect.fnUntraced(function* (
    account: AccountId,
    limit: number
  ): Effect.fn.Return<ErasedCounts, SqlError.SqlError> {
    let all: ErasedCounts = {}
    let left = limit
    for (const table of tables) {
      if (left <= 0) break
      const gone = yield* eraseRows(table, account, left)
      all = addErasedCounts(all, gone)
      left -= gone[table.kind] ?? 0
    }
    return all
  })

  /** Forgets an account of which nothing is left. */
  const forget = Effect.fnUntraced(function* (account: AccountId): Effect.fn.Return<boolean, SqlError.SqlError> {
    const nothingIn = ["build_reservations", "previews", ...tables.map(({ table }) => table)].map((table) => {
      const of = tables.find((one) => one.table === table)?.account ?? "account_id"
      return sql`NOT EXISTS (SELECT 1 FROM ${sql.literal(table)} WHERE ${sql.literal(of)} = ${account})`
    })
    const taken = yield* sql`DELETE FROM accounts WHERE ${sql.and([sql`id = ${account}`, ...nothingIn])} RETURNING id`
    if (taken.length === 0) return false
    yield* sql`DELETE FROM account_usage WHERE account_id = ${account}`
    yield* sql`DELETE FROM account_stored_bytes WHERE account_id = ${account}`
    return true
  })

  const take = Effect.fnUntraced(function* ({
    account,
    limit,
    now,
    uploads
  }: Parameters<ErasureStore["Service"]["eraseStep"]>[0]): Effect.fn.Return<ErasureStep, SqlError.SqlError> {
    const [row] = yield* Effect.flatMap(sql`${erased} AND id = ${account} ${lockedBy("id")}`, erasedRows)
    if (row === undefined) return { erased: {}, isOver: false }
    const { erasure } = row.account
    const gone = yield* uploads.length > 0 ? eraseUploads({ account, uploads }) : eraseOthers(account, limit)
    const sum = addErasedCounts(gone, {})
    if (Object.keys(sum).length > 0) {
      const changed = encodeErasure({ ...erasure, gone: addErasedCounts(erasure.gone, sum) })
      yield* sql`UPDATE accounts SET erasure = ${changed} WHERE id = ${account}`
    }
    const isSettled = DateTime.isGreaterThanOrEqualTo(now, erasure.settledAt)
    return { erased: sum, isOver: isSettled && Object.keys(sum).length === 0 && (yield* forget(account)) }
  })

  return ErasureStore.of({
    begin: (account, erasure) =>
      sql`
        UPDATE accounts SET name = id, name_digest = ${digest(account)}, erasure = ${encodeErasure(erasure)}
        WHERE id = ${account} AND erasure IS NULL
        RETURNING id
      `.pipe(
        Effect.map((rows) => rows.length > 0),
        orWriteFailure
      ),
    list: sql`${erased} ORDER BY id`.pipe(
      Effect.flatMap(erasedRows),
      Effect.map((rows) => rows.map(({ account }) => account)),
      orUnavailable
    ),
    uploads: Effect.fnUntraced(function* ({ account, limit }) {
      const ofBuilds = yield* orUnavailable(uploadsIn("build_reservations", account, limit))
      const previews = yield* orUnavailable(uploadsIn("previews", account, limit - ofBuilds.length))
      return [...ofBuilds, ...previews]
    }),
    eraseStep: (step) => take(step).pipe(inTransaction, orWriteFailure)
  })
}
