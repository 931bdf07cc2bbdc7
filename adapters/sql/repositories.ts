import { DateTime, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import { repositoryKey, type RepositoryKey } from "../../core/model/Repository.ts"
import { LinkedElsewhere, RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { byCodeUnit } from "./byCodeUnit.ts"
import { digest } from "./digest.ts"
import type { Engine } from "./Engine.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"

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
