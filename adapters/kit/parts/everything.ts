/** An account with a record of every kind, and what ports still find of it. */
import { Effect, Option } from "effect"
import type { ErasedCounts } from "../../../core/model/MetadataRecord.ts"
import { repositoryKey } from "../../../core/model/Repository.ts"
import { EventId, WebhookId } from "../../../core/model/SlipwayEvent.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { RetentionStore } from "../../../core/ports/RetentionStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { UsageStore } from "../../../core/ports/UsageStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { onFinalize, onPreviewFinalize } from "../../../core/rules/builds.ts"
import { hostedRoot } from "../../../core/rules/reservations.ts"
import { keyOf, newBuild, newHome, reserveAgain } from "./buildPorts.ts"
import { changeWith, loadFor } from "./histories.ts"
import {
  idAt,
  instant,
  makeAuditEntry,
  makeEvent,
  makeHosted,
  makeKey,
  makeOnce,
  makeRun,
  makeSession,
  makeShareLink,
  makeTrust
} from "./samples.ts"
import { newPreview } from "./stored.ts"

const issuer = "https://issuer.example"
/** What `newEverything` stores of an account, by kind. */
export const everything: ErasedCounts = {
  keys: 2,
  sessions: 1,
  shareLinks: 1,
  answers: 1,
  trusts: 1,
  runs: 1,
  histories: 2,
  ciRuns: 1,
  previews: 2,
  uploads: 2,
  builds: 1,
  billedRuns: 1,
  contents: 1,
  webhooks: 1,
  events: 2,
  auditEntries: 1,
  retention: 1,
  quotas: 1,
  repositories: 1,
  objects: 2,
  bytes: 2
}

/** An account with records of each kind; of builds and previews, an upload that is finalized and one that is open. */
export const newEverything = Effect.gen(function* () {
  const home = yield* newHome
  const { account, repository } = home
  const [builds, keys, previews] = [yield* BuildStore, yield* KeyStore, yield* PreviewStore]
  const [key, noted] = [makeKey(account), makeKey(account)]
  yield* keys.insert(key)
  yield* keys.insert(noted, makeEvent(noted))
  const session = makeSession(key)
  yield* SessionStore.use((sessions) => sessions.begin({ session, now: instant(0) }))
  yield* TrustStore.use((trusts) => trusts.trust(makeTrust(repository, { issuer })))

  const { build, reservation } = yield* newBuild(home)
  const ready = onFinalize(build, reservation, { now: instant(9), hostedPrefix: `${hostedRoot(reservation)}1/` })
  const hosted = makeHosted(account)
  yield* builds.commitFinalize({ ...ready, hosted: [hosted] })
  yield* builds.commitReserve(reserveAgain(home, ready.build))
  const preview = yield* newPreview(account, { repositoryId: repository.id })
  const hostedPrefix = `${hostedRoot(preview)}1/`
  yield* previews.commitFinalize({
    preview: onPreviewFinalize(preview, { now: instant(9), hostedPrefix }),
    billed: true
  })
  yield* newPreview(account)

  const once = makeOnce(account)
  const run = makeRun(repository, preview, { keptAt: instant(4), branch: "main", source: "ci:1/1" })
  const event = { ...makeEvent(noted), id: EventId.make(idAt(1)) }
  const history = yield* changeWith(run)
  yield* TestRunStore.use((runs) => runs.insert({ run, history, once, event }))
  const link = makeShareLink(account, { shared: { preview: preview.shareId } })
  yield* ShareLinkStore.use((links) => links.insert(link))
  const webhook = {
    id: WebhookId.make(idAt(1)),
    url: "https://ci.example/",
    secret: "whsec_AAAA",
    accountId: account.id,
    types: [],
    createdAt: instant(7)
  }
  yield* WebhookStore.use((webhooks) =>
    Effect.andThen(
      webhooks.insert(webhook),
      webhooks.log({
        at: instant(8),
        webhook: webhook.id,
        event: event.id,
        type: "key.created",
        attempt: 1,
        status: "failed",
        answer: "answered 500"
      })
    )
  )
  yield* AuditLog.use((log) => log.record(Effect.void, () => makeAuditEntry({ accountId: account.id })))
  yield* RetentionStore.use((retention) => retention.setRules({ accountId: account.id, rules: { buildsPerBranch: 3 } }))
  yield* UsageStore.use((usage) => usage.setQuotas({ accountId: account.id, bytesStored: 7 }))
  return {
    account,
    build: ready.build,
    home,
    hosted,
    key,
    link,
    once,
    preview,
    repository,
    run,
    session,
    noted,
    webhook
  }
})

type Everything = Effect.Success<typeof newEverything>
/** The names under which the ports that let somebody in, or tell who there is, find an account. */
export const foundBy = Effect.fnUntraced(function* ({ account, key, link, repository, session }: Everything) {
  const [accounts, keys] = [yield* AccountStore, yield* KeyStore]
  const [links, sessions] = [yield* ShareLinkStore, yield* SessionStore]
  const trusts = yield* TrustStore
  const found = {
    name: Option.isSome(yield* accounts.findByName(account.name)),
    id: Option.isSome(yield* accounts.findByName(account.id)),
    list: (yield* accounts.list).some(({ id }) => id === account.id),
    key: Option.isSome(yield* keys.findByHash(key.hash)),
    keyId: Option.isSome(yield* keys.findById(key.id)),
    session: Option.isSome(yield* sessions.findByHash(session.secretHash)),
    sessionId: Option.isSome(yield* sessions.findById(session.id)),
    link: Option.isSome(yield* links.findByHash(link.secretHash)),
    linkId: Option.isSome(yield* links.find(link.id)),
    trust: Option.isSome(yield* trusts.find(keyOf(repository), issuer))
  }
  return Object.entries(found).flatMap(([name, isFound]) => (isFound ? [name] : []))
})

export const allNames = ["name", "list", "key", "keyId", "session", "sessionId", "link", "linkId", "trust"]

/** What the ports still answer of an account by its id. */
export const leftOf = Effect.fnUntraced(function* ({
  account,
  build,
  hosted,
  once,
  preview,
  repository,
  run,
  webhook
}: Everything) {
  const usage = yield* UsageStore.use((store) => store.find(account.id, "2026-05", instant(300)))
  const histories = yield* loadFor(run)
  const left = {
    history: Option.isSome(histories.all) || Option.isSome(histories.branch),
    ciRun: Option.isSome(histories.ciRun),
    keys: (yield* KeyStore.use((store) => store.list(account.id))).length > 0,
    repositories: (yield* RepositoryStore.use((store) => store.list(account.id))).length > 0,
    build: Option.isSome(yield* BuildStore.use((store) => store.findById(account.id, build.id))),
    preview: Option.isSome(yield* PreviewStore.use((store) => store.findByShareId(account.id, preview.shareId))),
    run: Option.isSome(yield* TestRunStore.use((store) => store.find(account.id, run.id))),
    billed: (yield* PreviewStore.use((store) => store.usage(account.id))).length > 0,
    answer: Option.isSome(
      yield* IdempotencyStore.use((store) => store.find(account.id, once.answer.keyHash, once.now))
    ),
    content: (yield* ReservationStore.use((store) => store.findHosted(account.id, [hosted]))).length > 0,
    webhook: Option.isSome(yield* WebhookStore.use((store) => store.find(webhook.id))),
    attempts: (yield* WebhookStore.use((store) => store.attempts({ webhook: webhook.id, limit: 1 }))).length > 0,
    audit: (yield* AuditLog.use((log) => log.list({ account: account.id, limit: 1 }))).length > 0,
    rules: Option.isSome(yield* RetentionStore.use((store) => store.rules(account.id))),
    usage: Object.values({ ...usage.used, ...usage.own }).some((amount) => amount !== 0),
    link: Option.isSome(
      yield* RepositoryStore.use((store) => store.find(account.id, repositoryKey(repository.owner, repository.repo)))
    )
  }
  return Object.entries(left).flatMap(([name, isLeft]) => (isLeft ? [name] : []))
})

export const everyLeft = [
  "history",
  "ciRun",
  "keys",
  "repositories",
  "build",
  "preview",
  "run",
  "billed",
  "answer",
  "content",
  "webhook",
  "attempts",
  "audit",
  "rules",
  "usage",
  "link"
]
