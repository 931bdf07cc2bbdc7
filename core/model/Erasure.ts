import { Schema } from "effect"
import { Account, type AccountId } from "./Account.ts"
import { AuditActor } from "./AuditEntry.ts"
import type { RemovedUpload } from "./Reservation.ts"

/**
 * What is erased with an account: records by their kind, and the objects of finalized uploads with their declared bytes. `uploads`
 * are those of builds; `contents` are the records of hosted objects.
 */
export const ErasedKind = Schema.Literals([
  "keys",
  "sessions",
  "shareLinks",
  "answers",
  "trusts",
  "runs",
  "histories",
  "ciRuns",
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

/** How much of each kind was erased. A kind without records is absent. */
export const ErasedCounts = Schema.Record(ErasedKind, Schema.optionalKey(Schema.Finite))
export type ErasedCounts = typeof ErasedCounts.Type

/**
 * The erasure of an account since `at`: its actor, and what was erased so far. `nameHash` is the SHA-256 of the account's former
 * name. A request that was running at `at` may still add records; from `settledAt` on none does.
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

/** An account. While it is being erased, its name is its id. */
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
