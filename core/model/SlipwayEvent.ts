import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { ApiKey, KeyId } from "./ApiKey.ts"
import { Build, BuildId, CommitSha, Platform } from "./Build.ts"
import { GitProvenance, ShareId } from "./Preview.ts"
import { Quarantine } from "./Quarantine.ts"
import { OwnerName, RepoName } from "./Repository.ts"
import { Shared, ShareLinkId } from "./Resource.ts"
import { CiRunTotals, TestId, testNames } from "./TestHistory.ts"
import { TestRun } from "./TestRun.ts"
import { Name, text } from "./Text.ts"

/** Ids sort by the time at which the webhook was added (UUID version 7). */
export const WebhookId = Schema.String.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** Identifies the event, the same at each delivery, so that a receiver can detect duplicates. */
export const EventId = Schema.String.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/**
 * An event of one type. `timestamp` is when it happened, and `data.id` is the id of its resource. `traceparent` is the span that
 * caused it, as in W3C Trace Context, if the host has a tracer.
 */
const event = <const Type extends string, const Fields extends Schema.Struct.Fields & { readonly id: Schema.Top }>(
  type: Type,
  data: Fields
) =>
  Schema.Struct({
    id: EventId,
    type: Schema.Literal(type),
    timestamp: Schema.DateTimeUtcFromString,
    account: AccountId,
    traceparent: Schema.optionalKey(Schema.String),
    data: Schema.Struct(data)
  })

const repository = { owner: OwnerName, repo: RepoName }
const ends = { expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString) }
const { app, branch, commitSha, kind, name, pr, previewShareId, prompt, source, status } = TestRun.fields

/** An upload of the build was finalized and is now its current upload. Every finalized upload is reported. */
const BuildReady = event("build.ready", {
  id: BuildId,
  ...repository,
  branch: Name,
  platform: Platform,
  commitSha: CommitSha,
  app: Build.fields.app
})

/** A preview was finalized. `git` is from its declaration. */
const PreviewHosted = event("preview.hosted", { id: ShareId, git: GitProvenance })

/** A test run was registered. */
const RunRegistered = event("run.registered", {
  id: TestRun.fields.id,
  ...repository,
  app,
  branch,
  commitSha,
  kind,
  name,
  pr,
  previewShareId,
  prompt,
  quarantined: Schema.optionalKey(Schema.Literal(true)),
  source,
  status
})

const share = { id: ShareLinkId, shared: Shared, ...ends }

/** A share link was created. */
const ShareCreated = event("share.created", share)

/** A share link was revoked. Expiry is not reported. */
const ShareRevoked = event("share.revoked", share)

const key = { id: KeyId, name: Name, scopes: ApiKey.fields.scopes, ...ends }

/** A key was created, new or by rotation. */
const KeyCreated = event("key.created", key)

/** A key was revoked. Expiry is not reported. */
const KeyRevoked = event("key.revoked", key)

/** A webhook of the account was disabled, because every delivery to it has failed since `failingSince`. */
const WebhookDisabled = event("webhook.disabled", { id: WebhookId, failingSince: Schema.DateTimeUtcFromString })

const onBranch = {
  ...repository,
  branch: Name,
  ...testNames,
  runId: TestRun.fields.id,
  commitSha,
  pr,
  source,
  quarantined: Schema.optionalKey(Schema.Literal(true))
}

/** A test failed on a branch whose last result was passed, or that had none. `quarantined` tells that it failed in quarantine. */
const TestBroken = event("test.broken", { id: TestId, ...onBranch })

/** A test passed on a branch whose last result was failed. */
const TestFixed = event("test.fixed", { id: TestId, ...onBranch })

/** A test of a branch became flaky or intermittent. */
const TestFlaky = event("test.flaky", { id: TestId, ...onBranch })

const { createdAt, expiresAt, owner, reason } = Quarantine.fields
const ofQuarantine = {
  id: TestId,
  ...repository,
  ...testNames,
  quarantine: Schema.Struct({ reason, owner, createdAt, expiresAt })
}

/** A quarantine of a test ended. */
const QuarantineExpired = event("quarantine.expired", ofQuarantine)

/** A quarantined test passed ten times in a row on the default branch, without being flaky. */
const QuarantineRecovered = event("quarantine.recovered", ofQuarantine)

/**
 * All imports of a CI run are complete, or it ended without them (`incomplete`). Its totals count each test once; the conclusion leaves
 * out those that failed in quarantine.
 */
const CiRunFinished = event("ci_run.finished", {
  id: Schema.String,
  ...repository,
  conclusion: Schema.Literals(["passed", "failed", "incomplete"]),
  source,
  branch,
  commitSha,
  pr,
  ...CiRunTotals.fields
})

/** A webhook is tested: only that webhook receives it. A webhook of the whole deployment has an account id of zeros. */
const WebhookTest = event("webhook.test", { id: WebhookId })

/** A change of one resource of an account. It contains no secret. @see docs/webhooks.md */
export const SlipwayEvent = Schema.Union([
  BuildReady,
  PreviewHosted,
  RunRegistered,
  TestBroken,
  TestFixed,
  TestFlaky,
  QuarantineExpired,
  QuarantineRecovered,
  CiRunFinished,
  ShareCreated,
  ShareRevoked,
  KeyCreated,
  KeyRevoked,
  WebhookDisabled,
  WebhookTest
])
export type SlipwayEvent = typeof SlipwayEvent.Type

/** The types of events. */
export const EventType = Schema.Literals([
  "build.ready",
  "preview.hosted",
  "run.registered",
  "test.broken",
  "test.fixed",
  "test.flaky",
  "quarantine.expired",
  "quarantine.recovered",
  "ci_run.finished",
  "share.created",
  "share.revoked",
  "key.created",
  "key.revoked",
  "webhook.disabled",
  "webhook.test"
] satisfies ReadonlyArray<SlipwayEvent["type"]>)
export type EventType = SlipwayEvent["type"]

/** An event without the fields that all events have. */
export type EventContent = {
  readonly [Type in SlipwayEvent["type"]]: Pick<
    Extract<SlipwayEvent, { readonly type: Type }>,
    "type" | "account" | "data"
  >
}[SlipwayEvent["type"]]

/**
 * The delivery state of a webhook. `failingSince` is the first failure since the last success. From `disabledAt` on nothing is
 * sent to it until an administrator resumes it. Both are absent while deliveries succeed.
 */
export const WebhookState = Schema.Struct({
  failingSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  disabledAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type WebhookState = typeof WebhookState.Type

/** The chats for which an event is written as a message. */
export const WebhookFormat = Schema.Literals(["slack", "teams", "discord"])
export type WebhookFormat = typeof WebhookFormat.Type

/** Which events a webhook receives: those of one repository (`owner/repo`, in either case) and of one branch, where they are given. */
export const webhookFilters = {
  repository: Schema.optionalKey(
    text(300).check(Schema.isPattern(/^[^/]+\/[^/]+$/, { message: "must be OWNER/REPO" }))
  ),
  branch: Schema.optionalKey(Name)
}

/**
 * A receiver of events: of one account or of all, and of some types or, if none is given, of all. Without a `format` it receives JSON. The secret signs deliveries, so
 * it is stored in plain text.
 */
export const Webhook = Schema.Struct({
  id: WebhookId,
  url: Schema.String,
  secret: Schema.String,
  accountId: Schema.optionalKey(AccountId),
  types: Schema.Array(EventType),
  format: Schema.optionalKey(WebhookFormat),
  ...webhookFilters,
  createdAt: Schema.DateTimeUtcFromString,
  ...WebhookState.fields
})
export type Webhook = typeof Webhook.Type

/**
 * One attempt to deliver an event to a webhook: when it ended, its number and its result. `answer` is the webhook's response, or
 * why there was none. A failed event is retried; one that was given up isn't.
 */
export const DeliveryAttempt = Schema.Struct({
  at: Schema.DateTimeUtcFromString,
  webhook: WebhookId,
  event: EventId,
  type: EventType,
  attempt: Schema.Int,
  status: Schema.Literals(["delivered", "failed", "given up"]),
  answer: Schema.String
})
export type DeliveryAttempt = typeof DeliveryAttempt.Type
