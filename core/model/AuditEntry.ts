import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { KeyId } from "./ApiKey.ts"
import { SessionId } from "./Session.ts"

/** Ids sort by the time of the entry (UUID version 7). */
export const AuditEntryId = Schema.String.pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

/** What is logged when it is done. */
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
  "quotas.changed",
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
 * Who did it: an API key, somebody signed in with a key, somebody whom the embedder's own `authenticate` or `sessions`
 * admitted, an identity token of a CI, or an administrator at the command line.
 */
export const AuditActor = Schema.Union([
  // Before the key alone, which would take a session for a key and leave it out.
  Schema.Struct({ session: SessionId, key: KeyId }),
  Schema.Struct({ key: KeyId }),
  Schema.Struct({ embedder: Schema.String }),
  Schema.Struct({ token: Schema.String }),
  Schema.Struct({ administrator: Schema.String })
])
export type AuditActor = typeof AuditActor.Type

/**
 * That somebody did something, and what to. `account` is whose it is; absent, it concerns the whole deployment. `subject` names the
 * thing by its kind and id, such as `key:01a1…`, and `detail` says what of it people know, such as a key's name. `address` is where
 * the request came from, where that is known. An entry holds no key, token, cookie or secret of a link.
 */
export const AuditEntry = Schema.Struct({
  id: AuditEntryId,
  accountId: Schema.optionalKey(AccountId),
  at: Schema.DateTimeUtcFromString,
  action: AuditedAction,
  subject: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  actor: AuditActor,
  address: Schema.optionalKey(Schema.String)
})
export type AuditEntry = typeof AuditEntry.Type
