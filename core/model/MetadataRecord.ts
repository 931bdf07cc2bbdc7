/**
 * Every kind of record that a store keeps, described once. Backups, copies, erasures, sweeps, the columns of SQL engines and the lists of
 * key-value stores derive from this list, so a new kind is an entry here and a migration.
 */
import { Schema, Struct } from "effect"
import { Account, AccountId, AccountQuotas, AccountRetention } from "./Account.ts"
import { ApiKey, Session } from "./ApiKey.ts"
import { AuditActor, AuditEntry } from "./AuditEntry.ts"
import { Build, BuildReservation } from "./Build.ts"
import { HostedObject, ObjectDeletion } from "./HostedObject.ts"
import { IdempotentResponse } from "./Idempotency.ts"
import { Preview } from "./Preview.ts"
import { Repository, RepositoryTrust } from "./Repository.ts"
import { Quarantine } from "./Quarantine.ts"
import { ReservationId, type RemovedUpload } from "./Reservation.ts"
import { ShareLink } from "./Resource.ts"
import { DeliveryAttempt, SlipwayEvent, Webhook } from "./SlipwayEvent.ts"
import { CiRun, TestHistory } from "./TestHistory.ts"
import { TestRun } from "./TestRun.ts"

/** What is known of a kind of record. */
export interface RecordDescription {
  readonly model: Schema.Top
  /** Its table in an SQL engine, where a field has the column of its name in snake case. */
  readonly table: string
  /** The fields that identify a record. */
  readonly id: readonly [string, ...Array<string>]
  /** The fields in whose order a backup reads the records, if not by `id`: those of an index by account. */
  readonly readBy?: readonly [string, ...Array<string>]
  /** The field that names the account, if not `accountId`. */
  readonly account?: string
  /** The fields that name records of other kinds, which stay as long as this record does. */
  readonly references?: Readonly<Record<string, string>>
  /** The kind of the record with which it is deleted, and the field that names that record. */
  readonly deletedWith?: { readonly kind: string; readonly by: string }
  /** Whether it is erased with its account: as a record, as an upload, which has objects, or with the record of `deletedWith`. */
  readonly erased: "record" | "upload" | "with another" | "never"
  /** How it is counted by an erasure. */
  readonly erasedAs?: string
  /**
   * The rule by which a sweep deletes it: some time after its end, or as the account's retention rules say. `at` are the fields of its
   * end, of which the first one that is present counts. A record with `keptAt` stays.
   */
  readonly swept?: {
    readonly by: "end" | "retention"
    readonly rule: string
    readonly at: readonly [string, ...Array<string>]
  }
  /** Whether it is backed up with the deployment and exported with its account. Access and temporary records are not exported. */
  readonly backup: "with the account" | "with the deployment" | "never"
}

/** A repository that an account links or linked earlier. Its uploads are kept after it is unlinked. */
const KnownRepository = Schema.Struct({ ...Repository.fields, linked: Schema.Boolean })
export type KnownRepository = typeof KnownRepository.Type

/** A record that a preview was billed as a test run. It outlives the preview. */
const BilledTestRun = Schema.Struct({
  previewId: ReservationId,
  accountId: AccountId,
  billedAt: Schema.DateTimeUtcFromString
})

/** The records of accounts, in an order in which no record refers to one of a later kind. Erasures and sweeps go in the opposite order. */
const ofAccounts = {
  key: {
    model: ApiKey,
    table: "api_keys",
    id: ["id"],
    erased: "record",
    erasedAs: "keys",
    // Only keys that lived shortly, see `maxUnlistedKeyLife`.
    swept: { by: "end", rule: "exchanged_keys", at: ["expiresAt"] },
    backup: "with the deployment"
  },
  repository: {
    model: KnownRepository,
    table: "repositories",
    id: ["id"],
    erased: "record",
    erasedAs: "repositories",
    backup: "with the account"
  },
  build: {
    model: Build,
    table: "builds",
    id: ["id"],
    references: { repositoryId: "repository" },
    erased: "record",
    erasedAs: "builds",
    backup: "with the account"
  },
  reservation: {
    model: BuildReservation,
    table: "build_reservations",
    id: ["id"],
    references: { buildId: "build" },
    erased: "upload",
    erasedAs: "uploads",
    backup: "with the account"
  },
  preview: {
    model: Preview,
    table: "previews",
    id: ["id"],
    references: { repositoryId: "repository" },
    erased: "upload",
    erasedAs: "previews",
    backup: "with the account"
  },
  billedTestRun: {
    model: BilledTestRun,
    table: "billed_test_runs",
    id: ["previewId"],
    readBy: ["accountId", "billedAt", "previewId"],
    erased: "record",
    erasedAs: "billedRuns",
    swept: { by: "retention", rule: "billed", at: ["billedAt"] },
    backup: "with the account"
  },
  hostedObject: {
    model: HostedObject,
    table: "hosted_objects",
    id: ["accountId", "contentHash", "sizeBytes"],
    erased: "record",
    erasedAs: "contents",
    backup: "with the account"
  },
  run: {
    model: TestRun,
    table: "test_runs",
    id: ["id"],
    references: { repositoryId: "repository" },
    erased: "record",
    erasedAs: "runs",
    swept: { by: "retention", rule: "runs", at: ["createdAt"] },
    backup: "with the account"
  },
  testHistory: {
    model: TestHistory,
    table: "test_histories",
    id: ["testId", "branchDigest"],
    readBy: ["accountId", "lastRunAt", "testId", "branchDigest"],
    references: { repositoryId: "repository" },
    erased: "record",
    erasedAs: "histories",
    swept: { by: "retention", rule: "histories", at: ["lastRunAt"] },
    backup: "with the account"
  },
  ciRun: {
    model: CiRun,
    table: "ci_runs",
    id: ["repositoryId", "ciRun"],
    readBy: ["accountId", "startedAt", "repositoryId", "ciRun"],
    references: { repositoryId: "repository" },
    erased: "record",
    erasedAs: "ciRuns",
    swept: { by: "retention", rule: "ci_runs", at: ["startedAt"] },
    backup: "with the account"
  },
  quarantine: {
    model: Quarantine,
    table: "quarantines",
    id: ["testId"],
    references: { repositoryId: "repository" },
    erased: "record",
    erasedAs: "quarantines",
    swept: { by: "end", rule: "quarantines", at: ["expiresAt"] },
    backup: "with the account"
  },
  answer: {
    model: IdempotentResponse,
    table: "idempotency_keys",
    id: ["accountId", "keyHash"],
    erased: "record",
    erasedAs: "answers",
    swept: { by: "end", rule: "answers", at: ["expiresAt"] },
    backup: "with the deployment"
  },
  shareLink: {
    model: ShareLink,
    table: "share_links",
    id: ["id"],
    erased: "record",
    erasedAs: "shareLinks",
    swept: { by: "end", rule: "share_links", at: ["revokedAt", "expiresAt"] },
    backup: "with the deployment"
  },
  trust: {
    model: RepositoryTrust,
    table: "repository_trusts",
    id: ["repositoryId", "issuer"],
    references: { repositoryId: "repository" },
    erased: "record",
    erasedAs: "trusts",
    backup: "with the account"
  },
  session: {
    model: Session,
    table: "sessions",
    id: ["id"],
    deletedWith: { kind: "key", by: "keyId" },
    erased: "with another",
    erasedAs: "sessions",
    swept: { by: "end", rule: "sessions", at: ["expiresAt"] },
    backup: "with the deployment"
  },
  auditEntry: {
    model: AuditEntry,
    table: "audit_entries",
    id: ["id"],
    erased: "record",
    erasedAs: "auditEntries",
    backup: "with the account"
  },
  removal: {
    model: ObjectDeletion,
    table: "removals",
    id: ["id"],
    // The bytes are deleted after their account.
    erased: "never",
    backup: "with the deployment"
  },
  retention: {
    model: AccountRetention,
    table: "account_retention",
    id: ["accountId"],
    erased: "record",
    erasedAs: "retention",
    backup: "with the account"
  },
  quotas: {
    model: AccountQuotas,
    table: "account_quotas",
    id: ["accountId"],
    erased: "record",
    erasedAs: "quotas",
    backup: "with the account"
  },
  event: {
    model: Schema.Struct({ event: SlipwayEvent }),
    table: "outbox",
    id: ["eventId"],
    account: "event.account",
    erased: "record",
    erasedAs: "events",
    backup: "never"
  },
  webhook: {
    model: Webhook,
    table: "webhooks",
    id: ["id"],
    erased: "record",
    erasedAs: "webhooks",
    backup: "never"
  },
  deliveryAttempt: {
    model: DeliveryAttempt,
    table: "delivery_attempts",
    id: ["position"],
    deletedWith: { kind: "webhook", by: "webhook" },
    erased: "with another",
    backup: "never"
  },
  usedToken: {
    model: Schema.Struct({ tokenHash: Schema.String, expiresAt: Schema.DateTimeUtcFromString }),
    table: "used_tokens",
    id: ["tokenHash"],
    erased: "never",
    swept: { by: "end", rule: "used_tokens", at: ["expiresAt"] },
    backup: "never"
  }
} as const satisfies Readonly<Record<string, RecordDescription>>

type OfAccounts = typeof ofAccounts

/** How the records of a kind are counted by an erasure, and the objects of finalized uploads with their declared bytes. */
export type ErasedKind =
  | Extract<OfAccounts[keyof OfAccounts], { readonly erasedAs: string }>["erasedAs"]
  | "objects"
  | "bytes"
const ErasedKind = Schema.Literals<ReadonlyArray<ErasedKind>>([
  ...Object.values(ofAccounts).flatMap((one) => ("erasedAs" in one ? [one.erasedAs] : [])),
  "objects",
  "bytes"
])
export const erasedKinds = ErasedKind.literals

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
const KnownAccount = Schema.Struct({ ...Account.fields, erasure: Schema.optionalKey(Erasure) })
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

/** Every kind of record, in an order in which no record refers to one of a later kind. */
export const records = {
  account: {
    model: KnownAccount,
    table: "accounts",
    id: ["id"],
    account: "id",
    // When nothing else of it is left.
    erased: "never",
    backup: "with the account"
  },
  ...ofAccounts
} as const

type Records = typeof records
type KindsWith<Part> = { [Kind in keyof Records]: Records[Kind] extends Part ? Kind : never }[keyof Records]

/** The same, for lists that derive from it. */
export const descriptions: Readonly<Record<keyof Records, RecordDescription>> = records

/** The kinds that a backup has. */
export type RecordKind = KindsWith<{ readonly backup: "with the account" | "with the deployment" }>

const isBackedUp = (kind: keyof Records): kind is RecordKind => records[kind].backup !== "never"
export const recordKinds: ReadonlyArray<RecordKind> = Struct.keys(records).filter(isBackedUp)

/** The model of each kind of record, in their order. */
export const recordModels = Object.fromEntries(recordKinds.map((kind) => [kind, records[kind].model])) as {
  readonly [Kind in RecordKind]: Records[Kind]["model"]
}

/** The kinds of records that are exported with an account: uploads, runs and their settings. */
export const portableKinds: ReadonlyArray<RecordKind> = recordKinds.filter(
  (kind) => records[kind].backup === "with the account"
)

type Rule<By extends "end" | "retention"> = Extract<
  Records[keyof Records],
  { readonly swept: { readonly by: By } }
>["swept"]["rule"]

const rulesBy = <const By extends "end" | "retention">(by: By) =>
  Object.values(descriptions)
    .toReversed()
    .flatMap(({ swept }) => (swept?.by === by ? [swept.rule as Rule<By>] : []))

/** The rules by which sweeps delete records of one kind, which have no objects. */
export const endedRules: ReadonlyArray<Rule<"end">> = rulesBy("end")
export const agedRules: ReadonlyArray<Rule<"retention">> = rulesBy("retention")

/** One record of the metadata: a line of a backup. */
export type MetadataRecord = {
  readonly [Kind in RecordKind]: { readonly kind: Kind; readonly value: Records[Kind]["model"]["Type"] }
}[RecordKind]

/** The model of each kind, in any encoding. */
type RecordModels = {
  readonly [Kind in RecordKind]: Schema.Codec<Records[Kind]["model"]["Type"], unknown>
}

/** Records whose values are encoded as these models say. */
export const recordsOf = (models: RecordModels): Schema.Codec<MetadataRecord, unknown> =>
  Schema.Union(
    recordKinds.map((kind) => Schema.Struct({ kind: Schema.Literal(kind), value: models[kind] }))
  ) as Schema.Codec<unknown, unknown> as Schema.Codec<MetadataRecord, unknown>

/** A record as it is written in a backup: JSON. */
export const MetadataRecord = recordsOf(recordModels)
