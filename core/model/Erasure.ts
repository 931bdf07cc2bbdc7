import { Schema } from "effect"
import { Account, type AccountId } from "./Account.ts"
import { AuditActor } from "./AuditEntry.ts"
import type { RemovedUpload } from "./Reservation.ts"

/**
 * What goes with an account: records by their kind (`uploads` are those of builds; `contents` stood in for uploads of the same
 * bytes), and the objects that finalized uploads named, with the bytes that they declared.
 */
export const ErasedKind = Schema.Literals([
  "keys",
  "sessions",
  "shareLinks",
  "answers",
  "trusts",
  "runs",
  "previews",
  "uploads",
  "builds",
  "billedRuns",
  "contents",
  "webhooks",
  "events",
  "auditEntries",
  "retention",
  "quotas",
  "repositories",
  "objects",
  "bytes"
])
export type ErasedKind = typeof ErasedKind.Type

/** How much of each kind is gone. A kind of which there was nothing is absent. */
export const ErasedCounts = Schema.Record(ErasedKind, Schema.optionalKey(Schema.Finite))
export type ErasedCounts = typeof ErasedCounts.Type

/**
 * That an account is being erased since `at`, by whom, and what is gone of it by now. `nameHash` is the SHA-256 of the name that
 * it had. A request that was under way at `at` may still add to it; from `settledAt` on none does.
 */
export const Erasure = Schema.Struct({
  nameHash: Schema.String,
  at: Schema.DateTimeUtcFromString,
  settledAt: Schema.DateTimeUtcFromString,
  actor: AuditActor,
  address: Schema.optionalKey(Schema.String),
  gone: ErasedCounts
})
export type Erasure = typeof Erasure.Type

/** An account, or what is left of one that is being erased: its id, which is its name too. */
export const KnownAccount = Schema.Struct({ ...Account.fields, erasure: Schema.optionalKey(Erasure) })
export type KnownAccount = typeof KnownAccount.Type

/** An account that is being erased. */
export interface ErasedAccount {
  readonly id: AccountId
  readonly erasure: Erasure
}

/** An upload of an account that is being erased, with what it hosts. */
export interface ErasedUpload extends RemovedUpload {
  readonly objects: number
  readonly bytes: number
}
