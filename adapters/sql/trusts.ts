import { DateTime, Effect, Option, Schema } from "effect"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import type { Engine } from "./Engine.ts"
import { insertKey } from "./keys.ts"
import { postIfAny } from "./outbox.ts"
import { keyDigest } from "./repositories.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

export const trustStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { account, repository, trust } = entities
  const found = sql.literal(`${columns("repository", "r")}, ${columns("account", "a")}, ${columns("trust", "t")}`)
  const listed = sql.literal(`${columns("repository", "r")}, ${columns("trust", "t")}`)
  const one = decodeFirst({ repository, account, trust: Schema.optionalKey(trust) })
  const all = decodeRows({ repository, trust })

  return TrustStore.of({
    trust: (given) =>
      sql`
        INSERT INTO repository_trusts (repository_id, account_id, issuer, scopes, created_at)
        VALUES (
          ${given.repositoryId}, ${given.accountId}, ${given.issuer}, ${given.scopes},
          ${DateTime.toDateUtc(given.createdAt)}
        )
        ON CONFLICT (repository_id, issuer) DO UPDATE SET scopes = excluded.scopes, created_at = excluded.created_at
      `.pipe(Effect.asVoid, orWriteFailure),
    untrust: (id, issuer) =>
      sql`DELETE FROM repository_trusts WHERE repository_id = ${id} AND issuer = ${issuer} RETURNING issuer`.pipe(
        Effect.map((rows) => rows.length > 0),
        orWriteFailure
      ),
    list: (id) =>
      sql`
        SELECT ${listed} FROM repository_trusts t JOIN repositories r ON r.id = t.repository_id AND r.linked
        WHERE t.account_id = ${id}
      `.pipe(Effect.flatMap(all), orUnavailable),
    find: (key, issuer) =>
      sql`
        SELECT ${found} FROM repositories r
        JOIN accounts a ON a.id = r.account_id AND a.erasure IS NULL
        LEFT JOIN repository_trusts t ON t.repository_id = r.id AND t.issuer = ${issuer}
        WHERE r.key_digest = ${keyDigest(key)} AND r.linked
      `.pipe(
        Effect.flatMap(one),
        Effect.map(Option.map((row) => ({ ...row, trust: Option.fromUndefinedOr(row.trust) }))),
        orUnavailable
      ),
    exchange: ({ endsAt, event, key, now, tokenHash }) =>
      sql`
        INSERT INTO used_tokens (token_hash, ends_at) VALUES (${tokenHash}, ${DateTime.toDateUtc(endsAt)})
        ON CONFLICT (token_hash) DO NOTHING RETURNING token_hash
      `.pipe(
        Effect.flatMap((first) =>
          first.length === 0
            ? Effect.succeed(false)
            : sql`DELETE FROM used_tokens WHERE ends_at < ${DateTime.toDateUtc(now)}`.pipe(
                Effect.andThen(insertKey(engine, key)),
                Effect.andThen(postIfAny(engine, event)),
                Effect.as(true)
              )
        ),
        inTransaction,
        orWriteFailure
      )
  })
}
