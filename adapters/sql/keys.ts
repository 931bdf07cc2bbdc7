import { DateTime, Effect, Option } from "effect"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import type { Engine } from "./Engine.ts"
import { post, postIfAny } from "./outbox.ts"
import { orNull } from "./orNull.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

/** Stores a new key. */
export const insertKey = ({ sql }: Pick<Engine, "sql">, record: ApiKey) =>
  sql`
      INSERT INTO api_keys (id, account_id, name, hash, scopes, created_at, expires_at, revoked_at, last_used_at)
      VALUES (
        ${record.id}, ${record.accountId}, ${record.name}, ${record.hash}, ${record.scopes},
        ${DateTime.toDateUtc(record.createdAt)}, ${orNull(record.expiresAt)}, ${orNull(record.revokedAt)},
        ${orNull(record.lastUsedAt)}
      )
    `

export const keyStore = (engine: Engine) => {
  const { among, columns, entities, inTransaction, lookUp, orUnavailable, orWriteFailure, sql, together } = engine
  const key = sql.literal(columns("key", "api_keys"))
  const owner = sql.literal(`${columns("key", "k")}, ${columns("account", "a")}`)
  const owners = decodeRows({ key: entities.key, account: entities.account })
  const oneOwner = decodeFirst({ key: entities.key, account: entities.account })
  const ownerOf = lookUp((hashes) =>
    sql`
      SELECT ${owner} FROM api_keys k JOIN accounts a ON a.id = k.account_id AND a.erasure IS NULL
      WHERE ${among("k.hash", hashes)}
    `.pipe(
      Effect.flatMap(owners),
      Effect.map((rows) => new Map(rows.map((row) => [row.key.hash, row]))),
      orUnavailable
    )
  )
  const one = decodeFirst({ key: entities.key })
  const all = decodeRows({ key: entities.key })

  const insert = (record: ApiKey) => insertKey(engine, record)

  return KeyStore.of({
    insert: (record, event) =>
      orWriteFailure(together(event === undefined ? [insert(record)] : [insert(record), post(engine, event)])),
    findByHash: (hash) => ownerOf(hash),
    findById: (id) =>
      sql`SELECT ${owner} FROM api_keys k JOIN accounts a ON a.id = k.account_id AND a.erasure IS NULL WHERE k.id = ${id}`.pipe(
        Effect.flatMap(oneOwner),
        orUnavailable
      ),
    list: (account) =>
      sql`SELECT ${key} FROM api_keys WHERE account_id = ${account} ORDER BY id`.pipe(
        Effect.flatMap(all),
        Effect.map((rows) => rows.map((row) => row.key)),
        orUnavailable
      ),
    revoke: (id, at, event) =>
      sql`
        UPDATE api_keys SET revoked_at = ${DateTime.toDateUtc(at)} WHERE id = ${id} AND revoked_at IS NULL
        RETURNING ${key}
      `.pipe(
        Effect.flatMap((revoked) =>
          revoked.length === 0
            ? sql`SELECT ${key} FROM api_keys WHERE id = ${id}`
            : Effect.as(postIfAny(engine, event), revoked)
        ),
        inTransaction,
        Effect.flatMap(one),
        Effect.map(Option.map((row) => row.key)),
        orWriteFailure
      ),
    rotate: ({ event, now, old, oldExpiresAt, replacement }) =>
      sql`
        UPDATE api_keys SET expires_at = ${DateTime.toDateUtc(oldExpiresAt)}
        WHERE id = ${old} AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${DateTime.toDateUtc(now)})
        RETURNING id
      `.pipe(
        Effect.flatMap((live) =>
          live.length === 0
            ? Effect.succeed(false)
            : insert(replacement).pipe(Effect.andThen(postIfAny(engine, event)), Effect.as(true))
        ),
        inTransaction,
        orWriteFailure
      ),
    touch: (id, at) =>
      sql`
        UPDATE api_keys SET last_used_at = ${DateTime.toDateUtc(at)}
        WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${DateTime.toDateUtc(at)})
      `.pipe(Effect.asVoid, orWriteFailure)
  })
}
