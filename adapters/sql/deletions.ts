/** The commits that delete. Each is one transaction, whose first statement changes the row only if it is as it was loaded. */
import { Array, DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Removal } from "../../core/model/Removal.ts"
import type { Resource } from "../../core/model/Resource.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import type { PreviewStore } from "../../core/ports/PreviewStore.ts"
import type { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { storedBy } from "../../core/rules/reservations.ts"
import { decodeRows } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"
import { orConflict } from "./orConflict.ts"
import { historyParts } from "./historyCommits.ts"
import { encodeResource } from "./shareLinks.ts"

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
