/** What commands print: lines for people, JSON for programs. */
import { Console, DateTime, Effect } from "effect"
import type { Account, AccountUsage } from "../../../core/model/Account.ts"
import type { ApiKey } from "../../../core/model/ApiKey.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { ShareLink } from "../../../core/model/Resource.ts"

/** Prints one JSON value, or these lines; of an empty list, that it is empty, on stderr. */
export const print = (asJson: boolean, value: unknown, lines: ReadonlyArray<string>): Effect.Effect<void> =>
  !asJson && lines.length === 0
    ? Console.error("There are none.")
    : Console.log(asJson ? JSON.stringify(value) : lines.join("\n"))

export const accountJson = ({ id, name }: Account) => ({ id, name })

const time = (at: DateTime.Utc | undefined) => (at === undefined ? undefined : DateTime.formatIso(at))

/** Where an account stands, as JSON. */
export const usageJson = (usage: AccountUsage) => ({ ...usage, resetsAt: time(usage.resetsAt) })

/** A key as JSON. `key` itself is included only when it was just made. */
export const keyJson = (record: ApiKey, account: Account, key?: string) => ({
  id: record.id,
  key,
  name: record.name,
  account: account.name,
  scopes: record.scopes,
  createdAt: time(record.createdAt),
  expiresAt: time(record.expiresAt),
  revokedAt: time(record.revokedAt),
  lastUsedAt: time(record.lastUsedAt)
})

/** A key as lines for people. */
export const keyLine = (record: ApiKey): string =>
  [
    record.id,
    record.name,
    record.scopes.join(" "),
    record.revokedAt !== undefined
      ? `revoked ${time(record.revokedAt)}`
      : record.expiresAt === undefined
        ? "does not expire"
        : `expires ${time(record.expiresAt)}`,
    record.lastUsedAt === undefined ? "never used" : `last used ${time(record.lastUsedAt)}`
  ].join("  ")

/** A share link as JSON. `url` is included only when it was just made. */
export const shareLinkJson = (link: ShareLink, account: Account, url?: string) => ({
  id: link.id,
  url,
  account: account.name,
  ...link.shared,
  createdAt: time(link.createdAt),
  expiresAt: time(link.expiresAt),
  revokedAt: time(link.revokedAt)
})

/** A share link as lines for people. */
export const shareLinkLine = (link: ShareLink): string =>
  [
    link.id,
    `made ${time(link.createdAt)}`,
    link.revokedAt === undefined ? `expires ${time(link.expiresAt)}` : `revoked ${time(link.revokedAt)}`
  ].join("  ")

export const repositoryJson = (
  { defaultBranch, owner, repo, webUrl }: Pick<Repository, "defaultBranch" | "owner" | "repo" | "webUrl">,
  account: string
) => ({ owner, repo, account, defaultBranch, webUrl })
