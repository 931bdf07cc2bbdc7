/** The subjects and recipients of events. */
import type { DateTime } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { SlipwayEvent, EventContent } from "../model/SlipwayEvent.ts"
import type { Webhook } from "../model/Webhook.ts"
import type { WebhookId } from "../model/WebhookId.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { BuildView } from "../model/Build.ts"
import type { Preview } from "../model/Preview.ts"
import type { ShareLink } from "../model/ShareLink.ts"
import type { TestRunView } from "../model/TestRun.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"

/** The subject of an event, such as `build:01a1…`. Events of one subject are delivered in the order of their commits. */
export const orderingKey = ({ data, type }: Pick<SlipwayEvent, "data" | "type">): string =>
  `${type.slice(0, type.indexOf("."))}:${data.id}`

/** Whether a webhook receives an event. */
export const isFor = ({ accountId, types }: Webhook, { account, type }: SlipwayEvent): boolean =>
  (accountId === undefined || accountId === account) && (types.length === 0 || types.includes(type))

/** The id or ordering key of an event for a webhook in an outbox. Without a webhook, the event's own. */
export const forWebhook = (name: string, webhook: WebhookId | undefined): string =>
  webhook === undefined ? name : `${name}.${webhook}`

/** An upload of a build was finalized. */
export const buildReady = ({ build, repository }: Omit<BuildView, "upload">): EventContent => {
  const { app, branch, commitSha, id, platform } = build
  const { owner, repo } = repository
  const identity = { branch, platform, commitSha, ...withoutUndefined({ app }) }
  return { type: "build.ready", account: build.accountId, data: { id, owner, repo, ...identity } }
}

/** A preview was finalized. */
export const previewHosted = ({ accountId, declaration, shareId }: Preview): EventContent => ({
  type: "preview.hosted",
  account: accountId,
  data: { id: shareId, git: declaration.git }
})

/** A run was registered. */
export const runRegistered = ({ repository, run }: TestRunView): EventContent => {
  const { app, branch, commitSha, id, kind, name, pr, previewShareId, prompt, source, status } = run
  const { owner, repo } = repository
  const optional = withoutUndefined({ app, branch, commitSha, name, pr, prompt, source })
  return {
    type: "run.registered",
    account: run.accountId,
    data: { id, owner, repo, kind, status, previewShareId, ...optional }
  }
}

const ofShare = ({ expiresAt, id, shared }: ShareLink) => ({ id, shared, expiresAt })

/** A share link was made. */
export const shareCreated = (link: ShareLink): EventContent => ({
  type: "share.created",
  account: link.accountId,
  data: ofShare(link)
})

/** A share link was revoked. */
export const shareRevoked = (link: ShareLink): EventContent => ({
  type: "share.revoked",
  account: link.accountId,
  data: ofShare(link)
})

const ofKey = ({ expiresAt, id, name, scopes }: ApiKey) => ({ id, name, scopes, ...withoutUndefined({ expiresAt }) })

/** A key was made. */
export const keyCreated = (key: ApiKey): EventContent => ({
  type: "key.created",
  account: key.accountId,
  data: ofKey(key)
})

/** A webhook of an account was disabled. */
export const webhookDisabled = (account: AccountId, id: WebhookId, failingSince: DateTime.Utc): EventContent => ({
  type: "webhook.disabled",
  account,
  data: { id, failingSince }
})

/** A key was revoked. */
export const keyRevoked = (key: ApiKey): EventContent => ({
  type: "key.revoked",
  account: key.accountId,
  data: ofKey(key)
})
