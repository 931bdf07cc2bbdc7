/** The subjects and recipients of events. */
import { DateTime, Duration, Option, Schema } from "effect"
import { AccountId } from "../model/Account.ts"
import type { EventContent, SlipwayEvent, Webhook, WebhookId, WebhookState } from "../model/SlipwayEvent.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { BuildView } from "../model/Build.ts"
import type { Preview } from "../model/Preview.ts"
import type { ShareLink } from "../model/Resource.ts"
import type { TestRunView } from "../model/TestRun.ts"
import type { Quarantine, QuarantineView } from "../model/Quarantine.ts"
import type { CiRun, HistoryWrite, TestHistory } from "../model/TestHistory.ts"
import { isIncomplete, type ImportsState } from "./imports.ts"
import { passesToRecover } from "./quarantine.ts"
import { endOf, isUnstable, judged, passesInARow } from "./testResults.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"

/** The subject of an event, such as `build:01a1…`. Events of one subject are delivered in the order of their commits. */
export const orderingKey = ({ data, type }: Pick<SlipwayEvent, "data" | "type">): string =>
  `${type.slice(0, type.indexOf("."))}:${data.id}`

/** The repository and the branch that an event is about, where it is about one. */
const subjectOfEvent = ({ data }: SlipwayEvent) => {
  const subject: object = "git" in data ? data.git : data
  const { branch, owner, repo }: { readonly [Field in string]?: unknown } = { ...subject }
  return { branch, repository: `${owner}/${repo}` }
}

/** Whether a webhook receives an event. A test is for its webhook alone, whatever that filters. */
export const isFor = ({ accountId, branch, id, repository, types }: Webhook, event: SlipwayEvent): boolean => {
  if (event.type === "webhook.test") return event.data.id === id
  const subject = subjectOfEvent(event)
  return (
    (accountId === undefined || accountId === event.account) &&
    (types.length === 0 || types.includes(event.type)) &&
    (repository === undefined || repository.toLowerCase() === subject.repository.toLowerCase()) &&
    (branch === undefined || branch === subject.branch)
  )
}

/** What stands for an account in the test of a webhook of the whole deployment. */
const noAccount = AccountId.make("00000000-0000-0000-0000-000000000000")

/** A webhook is tested. */
export const webhookTest = ({ accountId = noAccount, id }: Pick<Webhook, "accountId" | "id">): EventContent => ({
  type: "webhook.test",
  account: accountId,
  data: { id }
})

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
  const { app, branch, commitSha, id, kind, name, pr, previewShareId, prompt, quarantined, source, status } = run
  const { owner, repo } = repository
  const optional = withoutUndefined({ app, branch, commitSha, name, pr, prompt, source })
  return {
    type: "run.registered",
    account: run.accountId,
    data: {
      id,
      owner,
      repo,
      kind,
      status,
      previewShareId,
      ...optional,
      ...(quarantined === true ? { quarantined } : {})
    }
  }
}

const testOf = ({
  app,
  file,
  kind,
  name,
  platform,
  prompt
}: Pick<TestHistory, "app" | "file" | "kind" | "name" | "platform" | "prompt">) => ({
  kind,
  ...withoutUndefined({ name, prompt, file, platform, app })
})

/** What a new run changes of its test on a branch: it breaks it, fixes it, or makes it flaky. None of a run without a branch. */
export const testChanges = (
  { repository: { owner, repo }, run }: TestRunView,
  write: HistoryWrite | undefined
): ReadonlyArray<EventContent> => {
  const { next, read = [] } = write ?? {}
  if (next?.branch === undefined) return []
  const before = read[0] && endOf(read[0]).status
  const types = [
    ...(next.lastStatus === "failed" && before !== "failed" ? (["test.broken"] as const) : []),
    ...(next.lastStatus === "passed" && before === "failed" ? (["test.fixed"] as const) : []),
    // Most tests are stable, and then the results before needn't be judged.
    ...(next.lastFlakyAt !== undefined && !isUnstable(judged(read), next.branch) ? (["test.flaky"] as const) : [])
  ]
  const { commitSha, id: runId, pr, quarantined, source } = run
  const data = {
    id: next.testId,
    owner,
    repo,
    branch: next.branch,
    ...testOf(next),
    runId,
    ...withoutUndefined({ commitSha, pr, source }),
    ...(quarantined === true ? { quarantined } : {})
  }
  return types.map((type) => ({ type, account: run.accountId, data }))
}

/** A quarantine of a test ended, or isn't needed any more. */
export const quarantineEvent = (
  type: "quarantine.expired" | "quarantine.recovered",
  { quarantine, repository: { owner, repo } }: QuarantineView
): EventContent => {
  const { accountId, createdAt, expiresAt, owner: fixer, reason, testId } = quarantine
  return {
    type,
    account: accountId,
    data: {
      id: testId,
      owner,
      repo,
      ...testOf(quarantine),
      quarantine: { reason, createdAt, expiresAt, ...withoutUndefined({ owner: fixer }) }
    }
  }
}

/** Whether the run that a history changes by makes its test pass so often in a row that its quarantine isn't needed any more. */
export const isRecovery = (
  { next, read = [] }: HistoryWrite,
  { createdAt }: Pick<Quarantine, "createdAt">
): boolean => {
  const since = DateTime.toEpochMillis(createdAt)
  return (
    next !== undefined &&
    passesInARow(next.results, since) >= passesToRecover &&
    passesInARow(read, since) < passesToRecover
  )
}

/** How a CI run ended: without a run, or with an import that is missing, it isn't a success. */
export const conclusionOf = (
  { failed, runs }: Pick<CiRun, "failed" | "runs">,
  imports: ImportsState | undefined
): "passed" | "failed" | "incomplete" =>
  failed > 0 ? "failed" : runs === 0 || isIncomplete(imports) ? "incomplete" : "passed"

/** A CI run ended, with its imports complete or not. */
export const ciRunFinished = (
  { ciRun, repository: { owner, repo } }: { readonly ciRun: CiRun; readonly repository: TestRunView["repository"] },
  imports: ImportsState | undefined
): EventContent => {
  const { accountId, branch, commitSha, durationMs, failed, flaky, passed, pr, quarantined, runs, source } = ciRun
  return {
    type: "ci_run.finished",
    account: accountId,
    data: {
      id: ciRun.ciRun,
      owner,
      repo,
      conclusion: conclusionOf(ciRun, imports),
      ...withoutUndefined({ source, branch, commitSha, pr }),
      passed,
      failed,
      flaky,
      quarantined,
      runs,
      durationMs
    }
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

// The longest pause that a receiver may ask for.

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
