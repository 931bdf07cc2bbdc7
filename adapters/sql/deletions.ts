/** The commits that delete. Each is one transaction, whose first statement changes the row only if it is as it was loaded. */
import { Array, DateTime, Effect, Option, Schema } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import type { AccountId } from "../../core/model/Account.ts"
import type { ObjectDeletion } from "../../core/model/HostedObject.ts"
import type { Resource } from "../../core/model/Resource.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import type { PreviewStore } from "../../core/ports/PreviewStore.ts"
import type { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { storedBy } from "../../core/rules/reservations.ts"
import { decodeAll, decodeRows, digest } from "./values.ts"
import { orConflict, type Engine } from "./Engine.ts"
import { snakeCase } from "./rows.ts"
import { historyParts } from "./testHistories.ts"
import { encodeShared } from "./shareLinks.ts"
import type { SqlError } from "effect/sql"
import {
  descriptions,
  Erasure,
  type ErasedCounts,
  type ErasedKind,
  type RecordDescription
} from "../../core/model/MetadataRecord.ts"
import { Reservation } from "../../core/model/Reservation.ts"
import { ErasureStore, type ErasureStep } from "../../core/ports/ErasureStore.ts"
import { addErasedCounts, hostedBy } from "../../core/rules/sweeps.ts"

/** How many rows one statement inserts; an engine takes some ten thousand parameters. */
const batch = 500

/** Parts of these transactions: they delete share links, and store the removals of objects. */
export const deletionParts = ({ lockedBy, sql }: Engine) => ({
  endLinks: (account: AccountId, shared: Resource) =>
    sql`DELETE FROM share_links WHERE account_id = ${account} AND shared = ${encodeShared(shared)}`,

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

  insertObjectDeletions: (removals: ReadonlyArray<ObjectDeletion>) =>
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
  const { endLinks, forgetHosted, insertObjectDeletions } = deletionParts(engine)
  const loaded = sql.literal(`${columns("build", "b")}, ${columns("upload", "v")}`)
  // A build whose uploads can't all be read stays, because nobody knows where its objects are.
  const rows = decodeAll({ build: entities.build, upload: entities.upload })
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
        Effect.andThen(insertObjectDeletions(removals)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      )
  }
}

export const previewDeletion = (engine: Engine): Pick<PreviewStore["Service"], "commitDelete"> => {
  const { inTransaction, orWriteFailure, sql } = engine
  const { endLinks, forgetHosted, insertObjectDeletions } = deletionParts(engine)
  return {
    commitDelete: ({ preview: { accountId, shareId }, removals }) =>
      orConflict(sql`
        DELETE FROM previews WHERE share_id = ${shareId} AND account_id = ${accountId} RETURNING id
      `).pipe(
        Effect.andThen(endLinks(accountId, { preview: shareId })),
        Effect.andThen(Effect.forEach(removals, ({ prefix }) => forgetHosted(accountId, prefix), { discard: true })),
        Effect.andThen(insertObjectDeletions(removals)),
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

/** The column of a field; a path leads into a column of JSON. */
export const columnOf = (field: string): string =>
  field.includes(".") ? `(${field.replace(/\.(?<name>.*)/u, " ->> '$<name>'")})` : snakeCase(field)

const accountColumn = ({ account = "accountId" }: RecordDescription): string => columnOf(account)

const all: ReadonlyArray<readonly [kind: string, RecordDescription]> = Object.entries(descriptions)

/** The kinds of records that are erased, in an order in which no row is named by one of a later table. */
const erasedKinds = all.filter(([, { erased }]) => erased === "record").toReversed()

const uploadKinds = all.filter(([, { erased }]) => erased === "upload")

/** The columns that name a record of a kind: what has such a row stays. */
const referencesTo = (kind: string) =>
  all.flatMap(([, { references = {}, table }]) =>
    Object.entries(references).flatMap(([field, named]) => (named === kind ? [{ table, column: columnOf(field) }] : []))
  )

/** What is deleted with a record of a kind. */
export const deletedWith = (kind: string) => all.filter(([, one]) => one.deletedWith?.kind === kind)

const Sized = Schema.Array(Schema.Struct({ sizeBytes: Schema.Finite }))
const Sizes = Schema.Struct({ bundleSizeBytes: Schema.Finite, files: Sized, recordings: Schema.optionalKey(Sized) })

const encodeErasure = jsonEncoder(Erasure)

export const erasureStore = (engine: Engine) => {
  const { entities, free, inTransaction, json, lockedBy, orUnavailable, orWriteFailure, sql, Time } = engine
  const { forgetHosted, insertObjectDeletions } = deletionParts(engine)
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
    yield* insertObjectDeletions(removals)
    return {
      uploads: ofBuilds.length,
      previews: previews.length,
      objects: gone.reduce((sum, { objects }) => sum + objects, 0),
      bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0)
    }
  })

  /** Takes rows of one table. They are locked before it is looked at what names them; what others have locked, a later step takes. */
  const eraseRows = Effect.fnUntraced(function* (
    kind: string,
    description: RecordDescription,
    account: AccountId,
    limit: number
  ): Effect.fn.Return<{ readonly erased: ErasedCounts; readonly count: number }, SqlError.SqlError> {
    const { erasedAs, id, table } = description
    const [key, name] = [id.map(columnOf), sql.literal(table)]
    const columns = sql.literal(key.join(", "))
    const rows = yield* sql<Readonly<Record<string, string | number>>>`
      SELECT ${columns} FROM ${name} WHERE ${sql.literal(accountColumn(description))} = ${account}
      LIMIT ${limit} ${free}
    `
    const [first] = id.map(columnOf)
    if (first === undefined || !Array.isReadonlyArrayNonEmpty(rows)) return { erased: {}, count: 0 }
    const ids = rows.map((row) => row[first] ?? "")
    const counts: { [Kind in ErasedKind]?: number } = {}
    const count = (as: string | undefined, deleted: number) => {
      if (as !== undefined) counts[as as ErasedKind] = deleted
    }
    for (const [, other] of deletedWith(kind)) {
      const by = columnOf(other.deletedWith?.by ?? "")
      const deleted = yield* sql`
        DELETE FROM ${sql.literal(other.table)} WHERE ${sql.in(by, ids)} RETURNING 1 AS one
      `
      count(other.erasedAs, deleted.length)
    }
    const values = rows.map((row) => sql`(${sql.csv(key.map((column) => sql`${row[column] ?? null}`))})`)
    const among = key.length === 1 ? sql.in(first, ids) : sql`(${columns}) IN (VALUES ${sql.csv(values)})`
    const unnamed = referencesTo(kind).map(
      ({ column, table: naming }) =>
        sql`NOT EXISTS (SELECT 1 FROM ${sql.literal(naming)} x WHERE ${sql.literal(`x.${column} = ${table}.${first}`)})`
    )
    const taken = yield* sql`
      DELETE FROM ${name} WHERE ${sql.and([among, ...unnamed])} RETURNING 1 AS one
    `
    count(erasedAs, taken.length)
    return { erased: counts, count: taken.length }
  })

  const eraseOthers = Effect.fnUntraced(function* (
    account: AccountId,
    limit: number
  ): Effect.fn.Return<ErasedCounts, SqlError.SqlError> {
    let all: ErasedCounts = {}
    let left = limit
    for (const [kind, description] of erasedKinds) {
      if (left <= 0) break
      const gone = yield* eraseRows(kind, description, account, left)
      all = addErasedCounts(all, gone.erased)
      left -= gone.count
    }
    return all
  })

  /** Forgets an account of which nothing is left. */
  const forget = Effect.fnUntraced(function* (account: AccountId): Effect.fn.Return<boolean, SqlError.SqlError> {
    const nothingIn = [...uploadKinds, ...erasedKinds].map(
      ([, one]) =>
        sql`NOT EXISTS (SELECT 1 FROM ${sql.literal(one.table)} WHERE ${sql.literal(accountColumn(one))} = ${account})`
    )
    const taken = yield* sql`DELETE FROM accounts WHERE ${sql.and([sql`id = ${account}`, ...nothingIn])} RETURNING id`
    if (taken.length === 0) return false
    yield* sql`DELETE FROM account_usage WHERE account_id = ${account}`
    yield* sql`DELETE FROM account_stored_bytes WHERE account_id = ${account}`
    yield* sql`DELETE FROM account_open_uploads WHERE account_id = ${account}`
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
