/** The subjects and recipients of events. */
import { DateTime, Duration, Option, Schema } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { EventContent, SlipwayEvent, Webhook, WebhookId, WebhookState } from "../model/SlipwayEvent.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { BuildView } from "../model/Build.ts"
import type { Preview } from "../model/Preview.ts"
import type { ShareLink } from "../model/Resource.ts"
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

/** Whether a URL's host name is that of the machine itself: `localhost` or a loopback address. */
export const isThisMachine = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Without TLS, events could be read and answered by others on the way; on the machine itself there are none. */
const isSafe = (value: string): boolean => {
  const url = URL.parse(value)
  if (url === null || url.hash !== "" || url.username !== "" || url.password !== "") return false
  return url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname))
}

/** What is wrong with a URL that isn't a webhook's. */
export const webhookUrlRule =
  "must be an https URL without user, password or fragment; http only for this machine, such as http://127.0.0.1:9000/"

/** A URL that a webhook may have. */
export const WebhookUrl = Schema.String.check(Schema.makeFilter((value: string) => isSafe(value) || webhookUrlRule))

/** How long every delivery to a webhook must have failed before it is disabled. */
const disabledAfter = Duration.days(3)

/** The longest pause between deliveries to a webhook that fails, unless its receiver asks for a longer one. */
const longestPause = Duration.hours(1)

/** The longest pause that a receiver may ask for. */
const longestAsked = Duration.days(1)

/** A webhook's state after a delivery to it failed at `now`. It is disabled once all have failed for three days. */
export const afterFailure = ({ disabledAt, failingSince: since }: WebhookState, now: DateTime.Utc): WebhookState => {
  const failingSince = since ?? now
  const isOver = DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(failingSince, disabledAfter))
  if (disabledAt !== undefined) return { failingSince, disabledAt }
  return isOver ? { failingSince, disabledAt: now } : { failingSince }
}

/**
 * Until when a webhook is not tried again that has been failing since `failingSince`: as long again as it has been failing,
 * up to an hour. A receiver that asked for a longer pause (`retryAfter`) gets it, up to a day.
 */
export const pausedUntil = (
  failingSince: DateTime.Utc,
  now: DateTime.Utc,
  retryAfter: Duration.Duration = Duration.zero
): DateTime.Utc => {
  const pause = Duration.min(DateTime.distance(failingSince, now), longestPause)
  return DateTime.addDuration(now, Duration.max(pause, Duration.min(retryAfter, longestAsked)))
}

/** How often an event is tried to be delivered, before it is given up. The pauses between come to some two days. */
export const maxAttempts = 16

/** What comes of an attempt that failed, the first being 1. */
export const statusOfFailed = (attempt: number): "failed" | "given up" =>
  attempt < maxAttempts ? "failed" : "given up"

const shortest = Duration.seconds(2)
const longest = Duration.hours(5)

/** The longest pause that a receiver may ask for. */

/** The pause after so many attempts: 2 seconds, 8, 32 and so on up to 5 hours, and up to a quarter less or more. */
const pauseAfter = (attempts: number, spread: number): Duration.Duration =>
  Duration.times(Duration.min(Duration.times(shortest, 4 ** Math.min(attempts - 1, 10)), longest), 0.75 + spread / 2)

/**
 * When an event that couldn't be delivered at `now` is due again; none when it is to be given up. `attempts` counts the
 * failed one too, and `spread`, from 0 to 1, is random, so that those who failed together don't come together again. A
 * receiver that asked for a longer pause (`retryAfter`) gets it, up to a day.
 */
export const nextAttempt = ({
  attempts,
  now,
  retryAfter = Duration.zero,
  spread
}: {
  readonly attempts: number
  readonly now: DateTime.Utc
  readonly retryAfter?: Duration.Duration | undefined
  readonly spread: number
}): Option.Option<DateTime.Utc> => {
  const pause = Duration.max(pauseAfter(attempts, spread), Duration.min(retryAfter, longestAsked))
  return attempts < maxAttempts ? Option.some(DateTime.addDuration(now, pause)) : Option.none()
}
