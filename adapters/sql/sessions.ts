import { DateTime, Effect } from "effect"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import type { Engine } from "./Engine.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

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
