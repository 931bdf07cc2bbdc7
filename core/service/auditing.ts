import { Context, Effect, type DateTime } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { AuditEntryId, type AuditedAction, type AuditEntry } from "../model/AuditEntry.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import type { Account } from "../model/Account.ts"
import type { Repository } from "../model/Repository.ts"
import type { Webhook } from "../model/SlipwayEvent.ts"

/** The actor of changes and its address. A host sets it for each request; the default is the command line. */
export const CurrentActor = Context.Reference<Pick<AuditEntry, "actor" | "address">>(
  "slipway/core/service/CurrentActor",
  {
    defaultValue: () => ({ actor: { administrator: "command line" } })
  }
)

/** An entry without its actor. */
type Done = Pick<AuditEntry, "action" | "at" | "subject"> & {
  readonly accountId?: AuditEntry["accountId"] | undefined
  readonly repositoryId?: AuditEntry["repositoryId"] | undefined
  readonly detail?: string | undefined
}

/** Makes entries of the audit log for the current actor. A commit with an entry stores it together with its change. */
export const makeAuditEntries = Effect.map(SecureRandom, (random) =>
  Effect.fnUntraced(function* (done: Done): Effect.fn.Return<AuditEntry> {
    return { id: AuditEntryId.make(yield* random.uuidV7()), ...withoutUndefined(done), ...(yield* CurrentActor) }
  })
)

/** Makes changes together with their entries in the audit log. */
export const makeAuditing = Effect.gen(function* () {
  const log = yield* AuditLog
  const entryOf = yield* makeAuditEntries
  /**
   * Makes a change of the stores. `hasChanged` decides from its result whether anything changed; if not, there is no entry. `ownerIn`
   * reads the owner of the resource from the result, if it isn't known before.
   */
  return Effect.fnUntraced(function* <A, E, R>(
    done: Done,
    change: Effect.Effect<A, E, R>,
    hasChanged: (answer: A) => boolean = () => true,
    ownerIn: (answer: A) => AuditEntry["accountId"] | undefined = () => undefined
  ) {
    const entry = yield* entryOf(done)
    return yield* log.record(change, (answer) =>
      hasChanged(answer)
        ? { ...entry, ...withoutUndefined({ accountId: ownerIn(answer) ?? entry.accountId }) }
        : undefined
    )
  })
})

// How the audit log names accounts, keys, repositories and webhooks.

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
