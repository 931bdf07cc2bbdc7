import { DateTime, Effect, Option } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import { Shared, type ShareLink } from "../../core/model/Resource.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import type { Engine } from "./Engine.ts"
import { post, postIfAny } from "./outbox.ts"
import { decodeFirst, decodeRows, orNull } from "./values.ts"

/** What a link shares, as its column has it. */
export const encodeShared = jsonEncoder(Shared)

export const shareLinkStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql, together } = engine
  const link = sql.literal(columns("shareLink", "share_links"))
  const found = sql.literal(columns("shareLink", "l"))
  // No join, which a planner may do in the order of all accounts.
  const ofAnAccount = sql.literal("(SELECT a.erasure IS NULL FROM accounts a WHERE a.id = l.account_id)")
  const { shareLink } = entities
  const first = decodeFirst({ shareLink })
  const all = decodeRows({ shareLink })
  const one = (rows: ReadonlyArray<object>) =>
    Effect.map(
      first(rows),
      Option.map((row) => row.shareLink)
    )

  const insert = (record: ShareLink) =>
    sql`
      INSERT INTO share_links (id, account_id, shared, secret_hash, created_at, expires_at, revoked_at)
      VALUES (
        ${record.id}, ${record.accountId}, ${encodeShared(record.shared)}, ${record.secretHash},
        ${DateTime.toDateUtc(record.createdAt)}, ${DateTime.toDateUtc(record.expiresAt)}, ${orNull(record.revokedAt)}
      )
    `

  return ShareLinkStore.of({
    insert: (record, event) =>
      orWriteFailure(together(event === undefined ? [insert(record)] : [insert(record), post(engine, event)])),
    findByHash: (hash) =>
      sql`SELECT ${found} FROM share_links l WHERE secret_hash = ${hash} AND ${ofAnAccount}`.pipe(
        Effect.flatMap(one),
        orUnavailable
      ),
    find: (id) =>
      sql`SELECT ${found} FROM share_links l WHERE id = ${id} AND ${ofAnAccount}`.pipe(
        Effect.flatMap(one),
        orUnavailable
      ),
    list: ({ account, after, limit, shared }) =>
      sql`
        SELECT ${link} FROM share_links
        WHERE ${sql.and([
          sql`account_id = ${account}`,
          sql`shared = ${encodeShared(shared)}`,
          ...(after === undefined ? [] : [sql`id < ${after}`])
        ])}
        ORDER BY id DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(all),
        Effect.map((rows) => rows.map((row) => row.shareLink)),
        orUnavailable
      ),
    revoke: (account, id, at, event) =>
      sql`
        UPDATE share_links SET revoked_at = ${DateTime.toDateUtc(at)}
        WHERE id = ${id} AND account_id = ${account} AND revoked_at IS NULL
        RETURNING ${link}
      `.pipe(
        Effect.flatMap((revoked) =>
          revoked.length === 0
            ? sql`SELECT ${link} FROM share_links WHERE id = ${id} AND account_id = ${account}`
            : Effect.as(postIfAny(engine, event), revoked)
        ),
        inTransaction,
        Effect.flatMap(one),
        orWriteFailure
      )
  })
}
