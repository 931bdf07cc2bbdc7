import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { KeyId, SessionId } from "./ApiKey.ts"
import { RepositoryId } from "./Repository.ts"

/** Ids sort by the time of the entry (UUID version 7). */
export const AuditEntryId = Schema.String.pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

/** The actions that are logged. */
export const AuditedAction = Schema.Literals([
  "account.created",
  "account.erased",
  "build.deleted",
  "build.finalized",
  "build.replaced",
  "erasure.finished",
  "keep.began",
  "keep.ended",
  "key.created",
  "key.exchanged",
  "key.refused",
  "key.revoked",
  "key.rotated",
  "preview.deleted",
  "preview.finalized",
  "quarantine.added",
  "quarantine.removed",
  "quotas.changed",
  "repository.changed",
  "repository.linked",
  "repository.unlinked",
  "retention.changed",
  "run.deleted",
  "run.registered",
  "session.began",
  "session.ended",
  "sessions.ended",
  "share.created",
  "share.revoked",
  "trust.created",
  "trust.ended",
  "trust.pinned",
  "trust.refused",
  "webhook.created",
  "webhook.removed",
  "webhook.resumed"
])
export type AuditedAction = typeof AuditedAction.Type

/**
 * The actor: an API key, a person signed in with a key, a person admitted by the embedder's own `authenticate` or `sessions`, an
 * identity token of a CI, or an administrator at the command line.
 */
export const AuditActor = Schema.Union([
  // Before the key alone, which would match a session too and drop its id.
  Schema.Struct({ session: SessionId, key: KeyId }),
  Schema.Struct({ key: KeyId }),
  Schema.Struct({ embedder: Schema.String }),
  Schema.Struct({ token: Schema.String }),
  Schema.Struct({ administrator: Schema.String })
])
export type AuditActor = typeof AuditActor.Type

/**
 * An action, its actor and its subject. Without `account`, it concerns the whole deployment. `subject` is the kind and id of the
 * resource, such as `key:01a1…`. `repositoryId` is that of a build, preview or run, which may be deleted since. `detail` is a name that people recognize, such as a key's name. `address` is the source of the
 * request, if known. An entry contains no key, token, cookie or secret of a link.
 */
export const AuditEntry = Schema.Struct({
  id: AuditEntryId,
  accountId: Schema.optionalKey(AccountId),
  at: Schema.DateTimeUtcFromString,
  action: AuditedAction,
  subject: Schema.String,
  repositoryId: Schema.optionalKey(RepositoryId),
  detail: Schema.optionalKey(Schema.String),
  actor: AuditActor,
  address: Schema.optionalKey(Schema.String)
})
export type AuditEntry = typeof AuditEntry.Type
