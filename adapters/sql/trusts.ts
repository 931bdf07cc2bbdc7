import { DateTime, Effect, Option, Schema } from "effect"
import { PinnedIds, TrustConditions } from "../../core/model/RepositoryTrust.ts"
import { TrustStore, type UsedOnce } from "../../core/ports/TrustStore.ts"
import type { Engine } from "./Engine.ts"
import { insertKey } from "./keys.ts"
import { postIfAny } from "./outbox.ts"
import { keyDigest } from "./repositories.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

const encodeConditions = Schema.encodeSync(Schema.fromJsonString(TrustConditions))
const encodePinned = Schema.encodeSync(Schema.fromJsonString(PinnedIds))

export const trustStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { account, repository, trust } = entities
  const found = sql.literal(`${columns("repository", "r")}, ${columns("account", "a")}, ${columns("trust", "t")}`)
  const listed = sql.literal(`${columns("repository", "r")}, ${columns("trust", "t")}`)
  const stored = sql.literal(columns("trust", "repository_trusts"))
  const storedOne = decodeFirst({ trust })
  const one = decodeFirst({ repository, account, trust: Schema.optionalKey(trust) })
  const all = decodeRows({ repository, trust })

  const use = Effect.fnUntraced(function* ({ endsAt, now, tokenHash }: UsedOnce) {
    const first = yield* sql`
      INSERT INTO used_tokens (token_hash, expires_at) VALUES (${tokenHash}, ${DateTime.toDateUtc(endsAt)})
      ON CONFLICT (token_hash) DO NOTHING RETURNING token_hash
    `
    if (first.length === 0) return false
    yield* sql`DELETE FROM used_tokens WHERE expires_at < ${DateTime.toDateUtc(now)}`
    return true
  })

  return TrustStore.of({
    trust: (given) =>
      sql`
        INSERT INTO repository_trusts (repository_id, account_id, issuer, scopes, conditions, pinned, created_at)
        VALUES (
          ${given.repositoryId}, ${given.accountId}, ${given.issuer}, ${given.scopes},
          ${given.conditions === undefined ? null : encodeConditions(given.conditions)},
          ${given.pinned === undefined ? null : encodePinned(given.pinned)}, ${DateTime.toDateUtc(given.createdAt)}
        )
        ON CONFLICT (repository_id, issuer) DO UPDATE SET
          scopes = excluded.scopes, conditions = excluded.conditions,
          pinned = COALESCE(excluded.pinned, repository_trusts.pinned), created_at = excluded.created_at
        RETURNING ${stored}
      `.pipe(
        Effect.flatMap(storedOne),
        Effect.map((row) => Option.getOrThrow(row).trust),
        orWriteFailure
      ),
    pin: (id, issuer, ids) =>
      sql`
        UPDATE repository_trusts SET pinned = ${encodePinned(ids)}
        WHERE repository_id = ${id} AND issuer = ${issuer} AND pinned IS NULL RETURNING issuer
      `.pipe(
        Effect.map((rows) => rows.length > 0),
        orWriteFailure
      ),
    isTrusted: (issuer) =>
      // By order, so that PostgreSQL reads the index also where it expects to find the issuer in any row.
      sql<{ readonly issuer: string }>`
        SELECT issuer FROM repository_trusts WHERE issuer >= ${issuer} ORDER BY issuer LIMIT 1
      `.pipe(
        Effect.map(([first]) => first?.issuer === issuer),
        orUnavailable
      ),
    use: (secret) => use(secret).pipe(inTransaction, orWriteFailure),
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
    exchange: ({ event, key, ...token }) =>
      Effect.gen(function* () {
        if (!(yield* use(token))) return false
        yield* insertKey(engine, key)
        yield* postIfAny(engine, event)
        return true
      }).pipe(inTransaction, orWriteFailure)
  })
}
