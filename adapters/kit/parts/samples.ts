/**
 * Records to store. Every id, hash and name is new, so that cases can share an engine and a suite can run on a database
 * that already holds data.
 */
import { DateTime, Effect } from "effect"
import { type Account, AccountId } from "../../../core/model/Account.ts"
import { type ApiKey, KeyId, type Session, SessionId } from "../../../core/model/ApiKey.ts"
import { type AuditEntry, AuditEntryId } from "../../../core/model/AuditEntry.ts"
import { type Build, BuildId, type BuildReservation } from "../../../core/model/Build.ts"
import {
  type HostedObject,
  ObjectKey,
  type ObjectDeletion,
  ObjectDeletionId
} from "../../../core/model/HostedObject.ts"
import type { IdempotentResponse } from "../../../core/model/Idempotency.ts"
import { type Preview, ShareId } from "../../../core/model/Preview.ts"
import type { Quarantine } from "../../../core/model/Quarantine.ts"
import { type Repository, RepositoryId, type RepositoryTrust } from "../../../core/model/Repository.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { type ShareLink, ShareLinkId } from "../../../core/model/Resource.ts"
import { EventId, type SlipwayEvent, type Webhook, WebhookId } from "../../../core/model/SlipwayEvent.ts"
import { TestId } from "../../../core/model/TestHistory.ts"
import { type TestRun, TestRunId } from "../../../core/model/TestRun.ts"
import type { Once } from "../../../core/ports/IdempotencyStore.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { historyWith, historyWithout, needsStoredRuns } from "../../../core/rules/testHistory.ts"
import { ciRunOf, testIdOf } from "../../../core/rules/testRuns.ts"

const random = (): string => crypto.randomUUID()

/** The instant this many milliseconds after a fixed one. */
export const instant = (millis: number): DateTime.Utc =>
  DateTime.addDuration(DateTime.makeUnsafe("2026-05-04T03:02:01.007Z"), millis)

/** The instant this many milliseconds after another. */
export const after = (time: DateTime.Utc, millis: number): DateTime.Utc => DateTime.addDuration(time, millis)

/** One instant long before the clock of any engine, and one long after it. */
export const epochs: ReadonlyArray<DateTime.Utc> = ["1999-12-31T23:59:59.999Z", "2150-01-01T00:00:00.000Z"].map((at) =>
  DateTime.makeUnsafe(at)
)

/** An id in the form that the service makes (UUID version 7). An id with a greater `at` is greater. */
export const idAt = (at: number): string => {
  const time = at.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random().slice(15)}`
}

/** A unique name that begins with `start`. */
export const nameOf = (start: string): string => `${start} ${random()}`

export const makeAccount = (fields: Partial<Account> = {}): Account => ({
  id: AccountId.make(idAt(1)),
  name: nameOf("account"),
  createdAt: instant(0),
  ...fields
})

export const makeKey = (account: Account, fields: Partial<ApiKey> = {}): ApiKey => ({
  id: KeyId.make(idAt(1)),
  accountId: account.id,
  name: "laptop",
  hash: random(),
  scopes: ["builds"],
  createdAt: instant(1),
  ...fields
})

export const makeRepository = (account: Account, fields: Partial<Repository> = {}): Repository => ({
  id: RepositoryId.make(idAt(1)),
  accountId: account.id,
  owner: nameOf("Owner"),
  repo: "Repo",
  linkedAt: instant(2),
  ...fields
})

/** The identity of a build, with a new commit unless one is given. */
export const makeIdentity = (fields: Partial<Pick<Build, "branch" | "platform" | "commitSha" | "app">> = {}) => ({
  branch: "main",
  platform: "ios" as const,
  commitSha: (random() + random()).replaceAll("-", "").slice(0, 40),
  ...fields
})

/** A reservation without optional fields. */
export const makeReservation = (
  account: Account,
  buildId: BuildId,
  fields: Partial<BuildReservation> = {}
): BuildReservation => ({
  id: ReservationId.make(idAt(1)),
  tokenHash: random(),
  accountId: account.id,
  reservedAt: instant(3),
  expiresAt: instant(900_003),
  buildId,
  declaration: {
    contentHash: "0".repeat(64),
    bundleSizeBytes: 1,
    bundleContentType: "text/javascript",
    isTransformed: false,
    files: []
  },
  ...fields
})

export const newBuildId = (): BuildId => BuildId.make(idAt(1))

/** A preview without optional fields. */
export const makePreview = (account: Account, fields: Partial<Preview> = {}): Preview => ({
  id: ReservationId.make(idAt(1)),
  tokenHash: random(),
  accountId: account.id,
  reservedAt: instant(3),
  expiresAt: instant(900_003),
  shareId: ShareId.make(random()),
  declaration: {
    contentHash: "0".repeat(64),
    bundleSizeBytes: 1,
    bundleContentType: "text/javascript",
    isTransformed: false,
    files: [],
    recordings: [],
    git: {}
  },
  ...fields
})

/** A run of the preview without optional fields. */
export const makeRun = (repository: Repository, preview: Preview, fields: Partial<TestRun> = {}): TestRun => ({
  id: TestRunId.make(idAt(1)),
  accountId: repository.accountId,
  repositoryId: repository.id,
  previewShareId: preview.shareId,
  kind: "maestro",
  status: "passed",
  createdAt: instant(4),
  ...fields
})

/**
 * A run of the preview with every field: each text is this one as far as its field may hold it, and it is registered at this time. A field
 * without a value here is an error of types. Only keeping a run sets `keptAt`.
 */
export const fullRun = (repository: Repository, preview: Preview, text: string, at: DateTime.Utc): TestRun =>
  ({
    ...makeRun(repository, preview),
    kind: "detox",
    name: text,
    prompt: `${text.slice(0, 1000).toWellFormed()}\r\n\tsecond line`,
    status: "failed",
    branch: text,
    commitSha: "0123456789abcdefABCDEF0123456789abcdef01",
    stepCount: 2 ** 31 - 1,
    durationMs: 0,
    failureMessage: `Error: ${text}\n\tat line 1\r\n`,
    failedStepIndex: 7,
    source: text,
    pr: 2 ** 31 - 1,
    startedAt: after(at, -1),
    metadataBytes: 1_050_624,
    quarantined: true,
    device: { name: text, platform: "ios", osVersion: text },
    attempts: [
      { status: "failed", durationMs: 2 ** 31 - 1, failureMessage: `Error: ${text}\n\tat line 1\r\n` },
      { status: "passed" }
    ],
    file: text,
    tags: [text.slice(0, 100).toWellFormed(), "smoke", "smoke"],
    app: text.slice(0, 100).toWellFormed(),
    commitMessage: `${text.slice(0, 400).toWellFormed()}\n\tat\r\n`,
    author: text,
    base: text,
    job: text,
    createdAt: at
  }) satisfies Required<Omit<TestRun, "keptAt">>

/** A hosted object of new content. */
export const makeHosted = (account: Pick<Account, "id">, fields: Partial<HostedObject> = {}): HostedObject => ({
  accountId: account.id,
  contentHash: (random() + random()).replaceAll("-", ""),
  sizeBytes: 7,
  objectKey: ObjectKey.make(`hosted/${random()}/bundle`),
  ...fields
})

/** A removal of what lies below a new prefix, due at once. */
export const makeObjectDeletion = (
  account: Pick<Account, "id">,
  fields: Partial<ObjectDeletion> = {}
): ObjectDeletion => ({
  id: ObjectDeletionId.make(idAt(1)),
  accountId: account.id,
  prefix: `hosted/${random()}/`,
  since: instant(8),
  settledAt: instant(8),
  dueAt: instant(8),
  ...fields
})

/** A share link to a preview, neither expired nor revoked. */
export const makeShareLink = (account: Account, fields: Partial<ShareLink> = {}): ShareLink => ({
  id: ShareLinkId.make(idAt(1)),
  accountId: account.id,
  shared: { preview: ShareId.make(random()) },
  secretHash: random(),
  createdAt: instant(5),
  expiresAt: instant(900_005),
  ...fields
})

export const makeAuditEntry = (fields: Partial<AuditEntry> = {}): AuditEntry => ({
  id: AuditEntryId.make(idAt(1)),
  at: instant(1),
  action: "key.created",
  subject: `key:${random()}`,
  actor: { administrator: "command line" },
  ...fields
})

/** That a repository trusts an issuer. */
export const makeTrust = (repository: Repository, fields: Partial<RepositoryTrust> = {}): RepositoryTrust => ({
  repositoryId: repository.id,
  accountId: repository.accountId,
  issuer: "https://issuer.example",
  scopes: ["builds"],
  createdAt: instant(7),
  ...fields
})

/** A quarantine of a new test, without optional fields but its name. */
export const makeQuarantine = (repository: Repository, fields: Partial<Quarantine> = {}): Quarantine => ({
  testId: TestId.make(random().replaceAll("-", "")),
  accountId: repository.accountId,
  repositoryId: repository.id,
  kind: "maestro",
  name: "Checkout",
  reason: "It waits for the tide",
  createdAt: instant(7),
  expiresAt: instant(900_007),
  ...fields
})

/** A session of the key without optional fields, not expired. */
export const makeSession = (key: ApiKey, fields: Partial<Session> = {}): Session => ({
  id: SessionId.make(idAt(1)),
  keyId: key.id,
  secretHash: random(),
  createdAt: instant(6),
  expiresAt: instant(900_006),
  ...fields
})

/** What a commit keeps beside its change, at `now`, under a new key unless one is given. */
export const makeOnce = (account: Account, fields: Partial<IdempotentResponse> = {}, now = instant(5)): Once => ({
  now,
  answer: {
    accountId: account.id,
    keyHash: random(),
    requestHash: random(),
    sealedAnswer: random(),
    expiresAt: DateTime.addDuration(now, 86_400_000),
    ...fields
  }
})

/** An event of a key that was made, or revoked; due at its time, long before the times at which cases claim. */
export const makeEvent = (key: ApiKey, type: "key.created" | "key.revoked" = "key.created", at = 1): SlipwayEvent => {
  const { accountId, id, name, scopes } = key
  const event = EventId.make(random())
  return { id: event, type, timestamp: instant(at), account: accountId, data: { id, name, scopes } }
}

/** A webhook of all accounts and types. */
export const makeWebhook = (fields: Partial<Webhook> = {}): Webhook => ({
  id: WebhookId.make(idAt(1)),
  url: "https://ci.example/hooks?é=1",
  secret: "whsec_AAAA",
  types: [],
  createdAt: instant(7),
  ...fields
})

// Stores and deletes runs with the histories that the rules make.

/** What a commit of a run reads of histories. */
export const loadFor = (run: TestRun) =>
  TestHistoryStore.use((store) =>
    store.loadForRun({
      repositoryId: run.repositoryId,
      testId: testIdOf(run),
      branch: run.branch,
      ciRun: ciRunOf(run)
    })
  )

const storedOf = (run: TestRun) =>
  TestHistoryStore.use((store) => store.storedRuns(testIdOf(run), { limit: 2000, bytes: 16 * 2 ** 20 }))

/** What a run that is about to be stored changes. */
export const changeWith = Effect.fnUntraced(function* (run: TestRun) {
  const loaded = yield* loadFor(run)
  return historyWith(run, loaded, needsStoredRuns(loaded, run) ? yield* storedOf(run) : [])
})

/** What a run that is about to be deleted changes. */
export const changeWithout = Effect.fnUntraced(function* (run: TestRun) {
  return historyWithout(run, yield* loadFor(run), yield* storedOf(run))
})

/** Stores a run with its history. */
export const registered = Effect.fnUntraced(function* (run: TestRun) {
  yield* (yield* TestRunStore).insert({ run, history: yield* changeWith(run) })
  return run
})

/** Deletes a run with its history. */
export const deleted = Effect.fnUntraced(function* (run: TestRun) {
  yield* (yield* TestRunStore).commitDelete(run, yield* changeWithout(run))
})
