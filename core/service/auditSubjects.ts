/** How the audit log names accounts, keys, repositories and webhooks. */
import type { DateTime } from "effect"
import type { Account } from "../model/Account.ts"
import type { AuditedAction } from "../model/AuditEntry.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Repository } from "../model/Repository.ts"
import type { Webhook } from "../model/Webhook.ts"

/** The entry of a change to a key, without who made it. */
export const ofKey = (action: "key.created" | "key.revoked" | "key.rotated", key: ApiKey, at: DateTime.Utc) => ({
  action,
  accountId: key.accountId,
  at,
  subject: `key:${key.id}`,
  detail: `${key.name}: ${key.scopes.join(" ")}`
})

/** The same, for a change to a repository or its trusts, with the changed part. */
export const ofRepository = (
  action: Extract<AuditedAction, `repository.${string}` | `trust.${string}`>,
  { accountId, owner, repo }: Pick<Repository, "accountId" | "owner" | "repo">,
  at: DateTime.Utc,
  detail?: string
) => ({ action, accountId, at, subject: `repository:${owner}/${repo}`, detail })

/** The same, for a change to an account, with the changed part. */
export const ofAccount = (
  action: "account.created" | "quotas.changed" | "retention.changed",
  { id, name }: Account,
  at: DateTime.Utc,
  changes?: string
) => ({
  action,
  accountId: id,
  at,
  subject: `account:${id}`,
  detail: changes === undefined ? name : `${name}: ${changes}`
})

/** The same, for a change to a webhook. Its path may contain a secret and is omitted. */
export const ofWebhook = (
  action: "webhook.created" | "webhook.removed" | "webhook.resumed",
  { accountId, id, url }: Pick<Webhook, "accountId" | "id" | "url">,
  at: DateTime.Utc
) => ({ action, accountId, at, subject: `webhook:${id}`, detail: new URL(url).origin })
