import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { ApiKey, KeyId } from "./ApiKey.ts"
import { BuildId, CommitSha, Platform } from "./Build.ts"
import { GitProvenance, ShareId } from "./Preview.ts"
import { OwnerName, RepoName } from "./Repository.ts"
import { ShareLinkId } from "./ShareLink.ts"
import { TestRun } from "./TestRun.ts"
import { Name } from "./Text.ts"
import { WebhookId } from "./WebhookId.ts"
import { ShareableResource } from "./Resource.ts"

/** Made with the event, and the same at each delivery: a receiver tells by it whether it knows the event already. */
export const EventId = Schema.String.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** An event of one type. `timestamp` is when it happened, and `data.id` names the thing that it happened to. */
const event = <const Type extends string, const Fields extends Schema.Struct.Fields & { readonly id: Schema.Top }>(
  type: Type,
  data: Fields
) =>
  Schema.Struct({
    id: EventId,
    type: Schema.Literal(type),
    timestamp: Schema.DateTimeUtcFromString,
    account: AccountId,
    data: Schema.Struct(data)
  })

const repository = { owner: OwnerName, repo: RepoName }
const ends = { expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromString) }
const { branch, commitSha, kind, name, pr, previewShareId, prompt, source, status } = TestRun.fields

/** An upload of the build was finalized: the build shows it from now on. Every such upload is told of. */
const BuildReady = event("build.ready", {
  id: BuildId,
  ...repository,
  branch: Name,
  platform: Platform,
  commitSha: CommitSha
})

/** A preview was finalized. `git` is what its upload told. */
const PreviewHosted = event("preview.hosted", { id: ShareId, git: GitProvenance })

/** A test run was registered. */
const RunRegistered = event("run.registered", {
  id: TestRun.fields.id,
  ...repository,
  branch,
  commitSha,
  kind,
  name,
  pr,
  previewShareId,
  prompt,
  source,
  status
})

const share = { id: ShareLinkId, shared: ShareableResource, ...ends }

/** A share link was made. */
const ShareMade = event("share.made", share)

/** A share link was revoked; one that expires is not told of. */
const ShareRevoked = event("share.revoked", share)

const key = { id: KeyId, name: Name, scopes: ApiKey.fields.scopes, ...ends }

/** A key was made, by itself or in place of another. */
const KeyMade = event("key.made", key)

/** A key was revoked; one that expires is not told of. */
const KeyRevoked = event("key.revoked", key)

/** A webhook of the account was disabled, because every delivery to it has failed since `failingSince`. */
const WebhookDisabled = event("webhook.disabled", { id: WebhookId, failingSince: Schema.DateTimeUtcFromString })

/** Something that happened to one thing of an account. It holds no secret. @see docs/events.md */
export const SlipwayEvent = Schema.Union([
  BuildReady,
  PreviewHosted,
  RunRegistered,
  ShareMade,
  ShareRevoked,
  KeyMade,
  KeyRevoked,
  WebhookDisabled
])
export type SlipwayEvent = typeof SlipwayEvent.Type

/** What kinds of events there are. */
export const EventType = Schema.Literals([
  "build.ready",
  "preview.hosted",
  "run.registered",
  "share.made",
  "share.revoked",
  "key.made",
  "key.revoked",
  "webhook.disabled"
] satisfies ReadonlyArray<SlipwayEvent["type"]>)
export type EventType = SlipwayEvent["type"]

/** What happened, without what is the same for all events. */
export type EventContent = {
  readonly [Type in SlipwayEvent["type"]]: Pick<
    Extract<SlipwayEvent, { readonly type: Type }>,
    "type" | "account" | "data"
  >
}[SlipwayEvent["type"]]
