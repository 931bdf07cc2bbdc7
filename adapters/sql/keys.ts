import { DateTime, Effect, Option } from "effect"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import type { Engine } from "./Engine.ts"
import { post, postIfAny } from "./outbox.ts"
import { decodeAll, decodeFirst, decodeRows, orNull } from "./values.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"

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
  const owners = decodeAll({ key: entities.key, account: entities.account })
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

export const sessionStore = ({ columns, entities, orUnavailable, orWriteFailure, sql, together }: Engine) => {
  const { account, key, session } = entities
  const listed = sql.literal(columns("session", "sessions"))
  const owner = sql.literal(`${columns("session", "s")}, ${columns("key", "k")}, ${columns("account", "a")}`)
  const owners = sql.literal(
    "sessions s JOIN api_keys k ON k.id = s.key_id JOIN accounts a ON a.id = k.account_id AND a.erasure IS NULL"
  )
  const oneOwner = decodeFirst({ session, key, account })
  const all = decodeRows({ session })

  return SessionStore.of({
    begin: ({ now, replaces, session: begun }) =>
      together([
        sql`DELETE FROM sessions WHERE key_id = ${begun.keyId} AND expires_at <= ${DateTime.toDateUtc(now)}`,
        sql`DELETE FROM sessions WHERE secret_hash = ${replaces ?? null}`,
        sql`
          INSERT INTO sessions (id, key_id, secret_hash, created_at, expires_at, address, user_agent)
          VALUES (
            ${begun.id}, ${begun.keyId}, ${begun.secretHash}, ${DateTime.toDateUtc(begun.createdAt)},
            ${DateTime.toDateUtc(begun.expiresAt)}, ${begun.address ?? null}, ${begun.userAgent ?? null}
          )
        `
      ]).pipe(orWriteFailure),
    findByHash: (hash) =>
      sql`SELECT ${owner} FROM ${owners} WHERE s.secret_hash = ${hash}`.pipe(Effect.flatMap(oneOwner), orUnavailable),
    findById: (id) =>
      sql`SELECT ${owner} FROM ${owners} WHERE s.id = ${id}`.pipe(Effect.flatMap(oneOwner), orUnavailable),
    list: ({ after, key: of, limit }) =>
      sql`
        SELECT ${listed} FROM sessions
        WHERE ${sql.and([sql`key_id = ${of}`, ...(after === undefined ? [] : [sql`id < ${after}`])])}
        ORDER BY id DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(all),
        Effect.map((rows) => rows.map((row) => row.session)),
        orUnavailable
      ),
    removeByHash: (hash) => sql`DELETE FROM sessions WHERE secret_hash = ${hash}`.pipe(Effect.asVoid, orWriteFailure),
    remove: (of, id) =>
      sql`DELETE FROM sessions WHERE id = ${id} AND key_id = ${of}`.pipe(Effect.asVoid, orWriteFailure),
    removeAll: (of) => sql`DELETE FROM sessions WHERE key_id = ${of}`.pipe(Effect.asVoid, orWriteFailure)
  })
}
