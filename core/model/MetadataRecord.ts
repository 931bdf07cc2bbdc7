import { Schema } from "effect"
import { AccountId, AccountQuotas, AccountRetention } from "./Account.ts"
import { ApiKey, Session } from "./ApiKey.ts"
import { AuditEntry } from "./AuditEntry.ts"
import { Build, BuildReservation } from "./Build.ts"
import { KnownAccount } from "./Erasure.ts"
import { HostedObject, Removal } from "./HostedObject.ts"
import { IdempotentAnswer } from "./Idempotency.ts"
import { Preview } from "./Preview.ts"
import { Repository, RepositoryTrust } from "./Repository.ts"
import { ReservationId } from "./Reservation.ts"
import { ShareLink } from "./Resource.ts"
import { CiRun, TestHistory } from "./TestHistory.ts"
import { TestRun } from "./TestRun.ts"

/** A repository that an account links or linked earlier. Its uploads are kept after it is unlinked. */
export const KnownRepository = Schema.Struct({ ...Repository.fields, linked: Schema.Boolean })
export type KnownRepository = typeof KnownRepository.Type

/** A record that a preview was billed as a test run. It outlives the preview. */
export const BilledTestRun = Schema.Struct({
  previewId: ReservationId,
  accountId: AccountId,
  billedAt: Schema.DateTimeUtcFromString
})
export type BilledTestRun = typeof BilledTestRun.Type

/** The model of each kind of record, in an order in which no record refers to one of a later kind. */
export const recordModels = {
  account: KnownAccount,
  key: ApiKey,
  repository: KnownRepository,
  build: Build,
  reservation: BuildReservation,
  preview: Preview,
  billedTestRun: BilledTestRun,
  hostedObject: HostedObject,
  run: TestRun,
  testHistory: TestHistory,
  ciRun: CiRun,
  answer: IdempotentAnswer,
  shareLink: ShareLink,
  trust: RepositoryTrust,
  session: Session,
  auditEntry: AuditEntry,
  removal: Removal,
  retention: AccountRetention,
  quotas: AccountQuotas
} as const

export type RecordKind = keyof typeof recordModels

/**
 * The kinds of records that are exported with an account: uploads, runs and their settings. Access (keys, sessions, share links)
 * and temporary records (answers, removals) are not exported.
 */
export const portableKinds = [
  "account",
  "repository",
  "build",
  "reservation",
  "preview",
  "billedTestRun",
  "hostedObject",
  "run",
  "testHistory",
  "ciRun",
  "trust",
  "auditEntry",
  "retention",
  "quotas"
] as const satisfies ReadonlyArray<RecordKind>

/** One record of the metadata: a line of a backup. */
export type MetadataRecord = {
  readonly [Kind in RecordKind]: { readonly kind: Kind; readonly value: (typeof recordModels)[Kind]["Type"] }
}[RecordKind]

/** The model of each kind, in any encoding. */
export type RecordModels = {
  readonly [Kind in RecordKind]: Schema.Codec<(typeof recordModels)[Kind]["Type"], unknown>
}

const record = <const Kind extends RecordKind>(kind: Kind, models: RecordModels) =>
  Schema.Struct({ kind: Schema.Literal(kind), value: models[kind] })

/** Records whose values are encoded as these models say. */
export const recordsOf = (models: RecordModels): Schema.Codec<MetadataRecord, unknown> =>
  Schema.Union([
    record("account", models),
    record("key", models),
    record("repository", models),
    record("build", models),
    record("reservation", models),
    record("preview", models),
    record("billedTestRun", models),
    record("hostedObject", models),
    record("run", models),
    record("testHistory", models),
    record("ciRun", models),
    record("answer", models),
    record("shareLink", models),
    record("trust", models),
    record("session", models),
    record("auditEntry", models),
    record("removal", models),
    record("retention", models),
    record("quotas", models)
  ])

/** A record as it is written in a backup: JSON. */
export const MetadataRecord = recordsOf(recordModels)
