import { DateTime, Effect, Option, Schema } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import type { SqlError } from "effect/sql"
import { PinnedIds, repositoryKey, TrustConditions, type RepositoryKey } from "../../core/model/Repository.ts"
import { LinkedElsewhere, RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"
import { decodeFirst, decodeRows, digest } from "./values.ts"
import type { Engine } from "./Engine.ts"
import { TrustStore, type UsedOnce } from "../../core/ports/TrustStore.ts"
import { insertKey } from "./keys.ts"
import { postIfAny } from "./outbox.ts"

/** The text that identifies a repository in an index. It is unambiguous, because `repo` holds no slash. */
export const keyDigest = (key: RepositoryKey): Uint8Array => digest(`${key.owner}/${key.repo}`)

export const repositoryStore = ({
  columns,
  entities,
  inTransaction,
  oneLink,
  orUnavailable,
  orWriteFailure,
  sql
}: Engine) => {
  const isLinkedElsewhere = ({ reason }: SqlError.SqlError): boolean =>
    reason._tag === "UniqueViolation" && reason.constraint === oneLink

  const repository = sql.literal(columns("repository", "repositories"))
  const one = decodeFirst({ repository: entities.repository })
  const all = decodeRows({ repository: entities.repository })

  return RepositoryStore.of({
    // First inserts the account's row if it is missing, then sets its link. So the second statement can violate the
    // index `repositories_one_link` only because of another account's link, and never because of a concurrent insert of
    // the same account.
    link: ({ accountId, defaultBranch, id, linkedAt, owner, repo, webUrl }) => {
      const key = keyDigest(repositoryKey(owner, repo))
      const at = DateTime.toDateUtc(linkedAt)
      return sql`
        INSERT INTO repositories (id, account_id, owner, repo, key_digest, linked_at, linked, default_branch, web_url)
        VALUES (${id}, ${accountId}, ${owner}, ${repo}, ${key}, ${at}, false, ${defaultBranch ?? null}, ${webUrl ?? null})
        ON CONFLICT (account_id, key_digest) DO NOTHING
      `.pipe(
        Effect.andThen(sql`
          UPDATE repositories SET
            owner = CASE WHEN linked THEN owner ELSE ${owner} END,
            repo = CASE WHEN linked THEN repo ELSE ${repo} END,
            linked_at = CASE WHEN linked THEN linked_at ELSE ${at} END,
            default_branch = CASE WHEN linked THEN default_branch ELSE ${defaultBranch ?? null} END,
            web_url = CASE WHEN linked THEN web_url ELSE ${webUrl ?? null} END,
            linked = true
          WHERE account_id = ${accountId} AND key_digest = ${key}
          RETURNING ${repository}
        `),
        inTransaction,
        Effect.catchIf(isLinkedElsewhere, () => Effect.fail(new LinkedElsewhere())),
        Effect.flatMap(one),
        Effect.map((row) => Option.getOrThrow(row).repository),
        orWriteFailure
      )
    },
    unlink: (account, key) =>
      sql<{ readonly id: string }>`
        UPDATE repositories SET linked = false
        WHERE account_id = ${account} AND key_digest = ${keyDigest(key)} AND linked
        RETURNING id
      `.pipe(
        Effect.tap((rows) =>
          Effect.forEach(rows, ({ id }) => sql`DELETE FROM repository_trusts WHERE repository_id = ${id}`)
        ),
        Effect.map((rows) => rows.length > 0),
        inTransaction,
        orWriteFailure
      ),
    configure: (account, key, { defaultBranch, webUrl }) =>
      sql`
        UPDATE repositories SET default_branch = ${defaultBranch ?? null}, web_url = ${webUrl ?? null}
        WHERE account_id = ${account} AND key_digest = ${keyDigest(key)} AND linked
        RETURNING id
      `.pipe(
        Effect.map((rows) => rows.length > 0),
        orWriteFailure
      ),
    find: (account, key) =>
      sql`
        SELECT ${repository} FROM repositories
        WHERE account_id = ${account} AND key_digest = ${keyDigest(key)} AND linked
      `.pipe(Effect.flatMap(one), Effect.map(Option.map((row) => row.repository)), orUnavailable),
    list: (account) =>
      sql`SELECT ${repository} FROM repositories WHERE account_id = ${account} AND linked`.pipe(
        Effect.flatMap(all),
        Effect.map((rows) =>
          rows
            .map((row) => ({
              repository: row.repository,
              key: repositoryKey(row.repository.owner, row.repository.repo)
            }))
            .toSorted((a, b) => byCodeUnit(a.key.owner, b.key.owner) || byCodeUnit(a.key.repo, b.key.repo))
            .map((row) => row.repository)
        ),
        orUnavailable
      )
  })
}

const encodeConditions = jsonEncoder(TrustConditions)
const encodePinned = jsonEncoder(PinnedIds)

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
