/** Calls of the ports of rates, of the delivery of events, and of the audit log. */
import { Effect, Option, type DateTime } from "effect"
import { EventId, WebhookId, type SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { ClaimId, DeliveryId, Outbox } from "../../../core/ports/Outbox.ts"
import { QuarantineStore } from "../../../core/ports/QuarantineStore.ts"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { AuditEntryId } from "../../../core/model/AuditEntry.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import {
  changeWith,
  changeWithout,
  idAt,
  instant,
  makeAccount,
  makeAuditEntry,
  makeEvent,
  makeHosted,
  makeKey,
  makeOnce,
  makePreview,
  makeQuarantine,
  makeObjectDeletion,
  makeRepository,
  makeRun,
  makeSession,
  makeShareLink,
  makeTrust,
  makeWebhook,
  registered
} from "../../kit/parts/samples.ts"
import { BuildId, type Build } from "../../../core/model/Build.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { EndedRule, type ExpirySelection } from "../../../core/model/Sweep.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { SweepStore, type DuePage } from "../../../core/ports/SweepStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { onFinalize, onPreviewFinalize } from "../../../core/rules/builds.ts"
import {
  firstReserve,
  type Home,
  keyOf,
  newBuild,
  newHome,
  newKey,
  newRun,
  reserveAgain
} from "../../kit/parts/stored.ts"
import { newPreview, type Reserved } from "../../kit/sweepStore.ts"
import { TestId } from "../../../core/model/TestHistory.ts"
import { TestRunId, type RunCursor } from "../../../core/model/TestRun.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore, type RunFilter } from "../../../core/ports/TestRunStore.ts"
import { ciRunOf, testIdOf } from "../../../core/rules/testRuns.ts"
import { ObjectDeletionId } from "../../../core/model/HostedObject.ts"
import { SessionId } from "../../../core/model/ApiKey.ts"
import { ShareLinkId } from "../../../core/model/Resource.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import { ObjectDeletionStore } from "../../../core/ports/ObjectDeletionStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { RetentionStore } from "../../../core/ports/RetentionStore.ts"
import { UsageStore } from "../../../core/ports/UsageStore.ts"
import { zeroAmounts } from "../../../core/rules/limits.ts"

/** The calls, to be made once and in order, after the event was stored. */
const deliveryCalls = Effect.fnUntraced(function* ({ account, key }: Prepared, publishedEvent: SlipwayEvent) {
  const rates = yield* RateStore
  const outbox = yield* Outbox
  const webhooks = yield* WebhookStore
  const auditLog = yield* AuditLog
  const keys = yield* KeyStore
  const another = () => ({ ...publishedEvent, id: EventId.make(idAt(1)) })
  const taking = { bucket: "key:k1", cost: 1000, capacity: 10_000, now: Date.UTC(2150, 0, 1) }
  const claim = {
    id: DeliveryId.make(publishedEvent.id),
    event: publishedEvent,
    attempts: 1,
    claim: ClaimId.make("a claim")
  }
  const webhook = WebhookId.make("a webhook")
  const stored = makeWebhook({ id: webhook, accountId: account.id, types: ["key.created"] })
  const failing = { failingSince: instant(2) }
  const attempt = {
    at: instant(20),
    webhook,
    event: publishedEvent.id,
    type: publishedEvent.type,
    attempt: 1,
    status: "delivered" as const,
    answer: "answered 204"
  }
  const asClaimed = { claim: claim.claim, now: instant(10), until: instant(20), limit: 10 }

  return {
    "RateStore.consume": rates.consume(taking),
    "RateStore.consume, without room": rates.consume({ ...taking, capacity: taking.cost }),
    "RateStore.deleteFull": rates.deleteFull(taking.now, 10),
    "Outbox.claim": outbox.claim(asClaimed),
    "Outbox.retry": outbox.retry(claim, instant(11)),
    "Outbox.claim, again": outbox.claim({ ...asClaimed, now: instant(11) }),
    "Outbox.giveUp": outbox.giveUp(claim, { at: instant(12), reason: "answered 404" }),
    "Outbox.dead": outbox.dead({ limit: 10 }),
    "Outbox.dead, behind one": outbox.dead({ after: DeliveryId.make("e5"), limit: 10 }),
    "Outbox.replay": outbox.replay(claim.id, instant(13)),
    "Outbox.claim, replayed": outbox.claim({ ...asClaimed, now: instant(13) }),
    "Outbox.passOn": outbox.passOn(claim, [webhook]),
    "Outbox.claim, without a webhook": outbox.claim({ ...asClaimed, now: instant(13), without: [webhook] }),
    "Outbox.release": outbox.release(claim, instant(13)),
    "Outbox.done": outbox.done(claim),
    "Outbox.expireDead": outbox.expireDead(instant(14)),
    "Outbox.deleteWaiting": outbox.deleteWaiting(webhook, instant(14)),
    "WebhookStore.insert": webhooks.insert(stored),
    "WebhookStore.changeState": webhooks.changeState({ webhook: stored, state: failing }),
    "WebhookStore.changeState, with an event": webhooks.changeState({
      webhook: { ...stored, ...failing },
      state: { ...failing, disabledAt: instant(3) },
      event: another()
    }),
    "WebhookStore.find": webhooks.find(webhook),
    "WebhookStore.list": webhooks.list,
    "WebhookStore.log": webhooks.log(attempt),
    "WebhookStore.attempts": webhooks.attempts({ limit: 10 }),
    "WebhookStore.attempts, of a webhook": webhooks.attempts({ webhook, limit: 10 }),
    "WebhookStore.expireAttempts": webhooks.expireAttempts({ before: instant(1), keep: 10 }),
    "WebhookStore.remove": webhooks.remove(webhook),
    "AuditLog.record": auditLog.record(keys.revoke(key.id, instant(9)), () =>
      makeAuditEntry({ accountId: account.id })
    ),
    "AuditLog.list": auditLog.list({ limit: 10 }),
    "AuditLog.list, of an account": auditLog.list({ account: account.id, before: AuditEntryId.make("z"), limit: 10 }),
    "AuditLog.expire": auditLog.expire({ before: instant(1), limit: 10 })
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})

const finalize = Effect.fnUntraced(function* ({ build, reservation }: Reserved, at: number) {
  const next = onFinalize(build, reservation, { now: instant(at), hostedPrefix: `hosted/${reservation.id}/a/` })
  yield* (yield* BuildStore).commitFinalize(next)
  return next
})

/** Stores an item for each rule of a sweep. All of them can be deleted from the samples' `instant(-2)` on. */
const newEnded = Effect.fnUntraced(function* (home: Home) {
  const { account } = home
  const [before, end, later] = [instant(-10), instant(-2), 900_100]
  yield* newBuild(home, { reservation: { expiresAt: end } })
  // With an id behind that of the build's first reservation.
  const again = Effect.fnUntraced(function* (build: Build, expiresAt: DateTime.Utc) {
    const change = reserveAgain(home, build, { id: ReservationId.make(idAt(2)), expiresAt })
    yield* (yield* BuildStore).commitReserve(change)
    return change
  })
  yield* again((yield* finalize(yield* newBuild(home), 0)).build, end)
  yield* finalize(yield* again((yield* finalize(yield* newBuild(home), -3)).build, instant(later)), -2)
  // Of two ready builds of a branch, the one that was reserved first.
  for (const at of [5, 6]) {
    const reservation = { id: ReservationId.make(idAt(at)), expiresAt: end }
    yield* finalize(yield* newBuild(home, { build: { branch: "swept" }, reservation }), -2)
  }
  yield* newPreview(account, -2)
  const ready = yield* newPreview(account, later, -2)
  yield* newRun(home.repository, ready, { createdAt: instant(-2) })
  // Its run was registered later, and is not due.
  yield* registered(makeRun(home.repository, ready, { startedAt: end, source: "ci:over" }))
  const once = makeOnce(account, { expiresAt: end }, before)
  yield* (yield* PreviewStore).commitReserve({ preview: makePreview(account), once })
  const session = makeSession(yield* newKey(account), { expiresAt: end })
  yield* (yield* SessionStore).begin({ session, now: before })
  yield* (yield* ShareLinkStore).insert(makeShareLink(account, { expiresAt: end }))
  yield* (yield* QuarantineStore).put(makeQuarantine(home.repository, { expiresAt: end }))
  const key = makeKey(account, { createdAt: before, expiresAt: end })
  yield* (yield* TrustStore).exchange({ tokenHash: "a token that is over", endsAt: end, now: before, key })
})

/** The calls of sweeps, to be made once and in order. */
const sweepCalls = Effect.fnUntraced(function* ({ account, home, repository }: Prepared) {
  const sweeps = yield* SweepStore
  // Only one item of each rule ended this early, so that the answers don't depend on the order of random ids.
  const until = instant(-1)
  yield* newEnded(home)
  const selections: ReadonlyArray<ExpirySelection> = [
    ...EndedRule.literals.map((rule) => ({ rule, until })),
    ...(["runs", "previews", "histories", "ci_runs", "billed"] as const).map((rule) => ({
      rule,
      account: account.id,
      until
    })),
    { rule: "builds", account: account.id, now: until, until, keep: 1 }
  ]
  // Of two repositories, either may have the lower id.
  const after = JSON.stringify({ repository: repository.id })
  const swept: Record<string, Effect.Effect<unknown, unknown>> = Object.fromEntries(
    selections.flatMap((selection) => {
      let page: DuePage = { due: [] }
      const due = sweeps.due(selection, { limit: 10, ...(selection.rule === "builds" ? { after } : {}) })
      const take = Effect.suspend(() =>
        sweeps.expire(
          selection,
          page.due.map(({ id }) => ({ id, removals: [makeObjectDeletion(account)] }))
        )
      )
      return [
        [`SweepStore.due, ${selection.rule}`, Effect.map(due, (found) => (page = found))],
        [`SweepStore.expire, ${selection.rule}`, take]
      ]
    })
  )
  return swept
})

/** The calls that erase an account of their own, to be made once and in order. */
const erasureCalls = Effect.gen(function* () {
  const erasures = yield* ErasureStore
  const erasing = yield* newHome
  const erasedKey = makeKey(erasing.account)
  yield* (yield* KeyStore).insert(erasedKey)
  yield* newBuild(erasing)
  yield* (yield* PreviewStore).commitReserve({ preview: makePreview(erasing.account) })
  const erasure = {
    nameHash: "a name",
    at: instant(100),
    settledAt: instant(200),
    actor: { administrator: "command line" },
    gone: {}
  }
  const takeErased = (uploads: Parameters<typeof erasures.eraseStep>[0]["uploads"], now: number) =>
    erasures.eraseStep({ account: erasing.account.id, now: instant(now), uploads, limit: 100 })

  return {
    "ErasureStore.list": erasures.list,
    "ErasureStore.begin": erasures.begin(erasing.account.id, erasure),
    "ErasureStore.uploads": erasures.uploads({ account: erasing.account.id, limit: 10 }),
    "ErasureStore.eraseStep, uploads": Effect.flatMap(
      erasures.uploads({ account: erasing.account.id, limit: 10 }),
      (uploads) =>
        takeErased(
          uploads.map((upload) => ({ ...upload, removals: [makeObjectDeletion(erasing.account)] })),
          200
        )
    ),
    "ErasureStore.eraseStep": takeErased([], 100),
    "ErasureStore.eraseStep, the account": takeErased([], 200)
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})

// Calls of the ports of test runs and their histories, and of the lists for the pages.

/** The field values of most runs, and those of only a few. */
export const common = { branch: "main", source: "ci", pr: 1, kind: "maestro", status: "passed" } satisfies RunFilter
export const rare = { branch: "rare", source: "rare", pr: 2, kind: "detox", status: "failed" } satisfies RunFilter

/** The calls of test runs and histories, to be made once and in order. */
const runCalls = Effect.fnUntraced(function* ({ account, preview, repository, run, once }: Prepared) {
  const runs = yield* TestRunStore
  const histories = yield* TestHistoryStore
  const quarantines = yield* QuarantineStore
  const quarantined = makeQuarantine(repository)
  const at = keyOf(repository)
  const list = (filter: RunFilter, after: Option.Option<RunCursor> = Option.none()) =>
    runs.list({ account: account.id, repository: at, filter, after, limit: 10, bytes: 2 ** 20 })
  const withHistories = <E, R>(steps: () => Generator<Effect.Effect<unknown, E, R>, void, never>) =>
    Effect.provideService(Effect.gen(steps), TestHistoryStore, histories)
  const testId = testIdOf(run)
  const tests = { account: account.id, repository: at, filter: {}, order: { by: "newest" }, limit: 10 } as const
  const ciRuns = { account: account.id, repository: at, limit: 10 }
  const ofBranch = { branch: common.branch }
  const middle = Option.some({ createdAt: instant(500_000_000), id: TestRunId.make("x") })

  return {
    "TestRunStore.loadForRegister": runs.loadForRegister(account.id, at, preview.shareId),
    "TestRunStore.insert": runs.insert({ run: makeRun(repository, preview) }),
    "TestRunStore.insert, kept": runs.insert({ run: makeRun(repository, preview), once: makeOnce(account) }),
    "TestRunStore.insert, answered already": Effect.flip(runs.insert({ run: makeRun(repository, preview), once })),
    "TestRunStore.insert, with its history": withHistories(function* () {
      const again = makeRun(repository, preview, { name: "Checkout", branch: "main", source: "ci" })
      yield* runs.insert({ run: again, history: yield* changeWith(again) })
    }),
    "TestRunStore.insert, of a new test": withHistories(function* () {
      const first = makeRun(repository, preview, { name: "New", branch: "main", source: "ci" })
      yield* runs.insert({ run: first, history: { ...(yield* changeWith(first)), evicted: TestId.make("old") } })
    }),
    "TestHistoryStore.loadForRun": histories.loadForRun({
      repositoryId: repository.id,
      testId,
      branch: run.branch,
      ciRun: ciRunOf(run)
    }),
    "TestHistoryStore.storedRuns": histories.storedRuns(testId, { limit: 10, bytes: 2 ** 20 }),
    "TestHistoryStore.room": histories.room(repository.id, 10),
    "TestHistoryStore.list": histories.list(tests),
    "TestHistoryStore.list, of a branch, behind a test": histories.list({
      ...tests,
      filter: ofBranch,
      order: { by: "newest", after: { lastRunAt: instant(1e6), testId } }
    }),
    "TestHistoryStore.list, of failed tests": histories.list({ ...tests, filter: { ...ofBranch, status: "failed" } }),
    "TestHistoryStore.list, of passed tests": histories.list({ ...tests, filter: { ...ofBranch, status: "passed" } }),
    "TestHistoryStore.list, of flaky tests": histories.list({
      ...tests,
      filter: { ...ofBranch, flakySince: instant(0) }
    }),
    "TestHistoryStore.list, of a text": histories.list({
      ...tests,
      filter: { ...ofBranch, words: ["none", "at all"], app: "none" }
    }),
    "TestHistoryStore.list, of a tag and a device": histories.list({
      ...tests,
      filter: { ...ofBranch, tag: "none", device: "none" }
    }),
    "TestHistoryStore.list, of slow tests": histories.list({ ...tests, filter: ofBranch, order: { by: "slowest" } }),
    "TestHistoryStore.find": histories.find(account.id, testId, undefined),
    "TestHistoryStore.findEach": histories.findEach(account.id, [testId], common.branch),
    "TestHistoryStore.branchesOf": histories.branchesOf(account.id, testId, 10),
    "TestHistoryStore.ciRuns": histories.ciRuns(ciRuns),
    "TestHistoryStore.ciRuns, of a branch, behind one": histories.ciRuns({
      ...ciRuns,
      ...ofBranch,
      after: { startedAt: instant(1e6), ciRun: "x" }
    }),
    "TestHistoryStore.searchTests": histories.searchTests(account.id, { words: ["a"], devices: true }, 10),
    "TestHistoryStore.searchCiRuns, of words": histories.searchCiRuns(account.id, { words: ["a", "b"] }, 10),
    "TestHistoryStore.searchCiRuns, of a pull request": histories.searchCiRuns(account.id, { pr: common.pr }, 10),
    "TestHistoryStore.searchCiRuns, of a commit": histories.searchCiRuns(account.id, { commit: "abcd" }, 10),
    "TestHistoryStore.searchCiRuns, of a branch": histories.searchCiRuns(account.id, { branch: common.branch }, 10),
    "TestHistoryStore.findCiRun": histories.findCiRun(account.id, at, ciRunOf(run)),
    "TestHistoryStore.unfinished": histories.unfinished({ until: instant(1e6), limit: 10 }),
    "TestHistoryStore.finish": histories.finish({
      ciRun: { repositoryId: repository.id, ciRun: ciRunOf(run), finishesAt: instant(1) }
    }),
    "QuarantineStore.put": quarantines.put(quarantined),
    "QuarantineStore.find": quarantines.find(account.id, quarantined.testId),
    "QuarantineStore.list": quarantines.list({ account: account.id, repository: at, limit: 10 }),
    "QuarantineStore.list, behind one": quarantines.list({
      account: account.id,
      repository: at,
      after: quarantined,
      limit: 10
    }),
    "QuarantineStore.due": quarantines.due({ until: instant(1e6), limit: 10 }),
    "QuarantineStore.expire": quarantines.expire({ quarantine: quarantined, at: instant(1) }),
    "QuarantineStore.remove": quarantines.remove(account.id, quarantined.testId),
    "TestHistoryStore.saveImports": histories.saveImports({
      repositoryId: repository.id,
      accountId: account.id,
      ciRun: "source-new",
      startedAt: instant(1),
      passed: 0,
      failed: 0,
      flaky: 0,
      quarantined: 0,
      runs: 0,
      durationMs: 0,
      imports: [{ id: "maestro", expectedRuns: 1, openedAt: 1 }],
      importsVersion: 1
    }),
    "TestHistoryStore.branches": histories.branches(account.id, at),
    "TestRunStore.find": runs.find(account.id, run.id),
    "TestRunStore.list": list({}),
    "TestRunStore.list, behind a run": list({}, middle),
    "TestRunStore.list, of a branch": list({ branch: common.branch }),
    "TestRunStore.list, of a source": list({ source: common.source }),
    "TestRunStore.list, of a CI run": list({ ciRun: common.source }),
    "TestRunStore.list, of a pull request": list({ pr: common.pr }),
    "TestRunStore.list, of an app": list({ app: "rider" }),
    "TestRunStore.list, of a kind": list({ kind: common.kind }),
    "TestRunStore.list, of a status": list({ status: common.status }),
    "TestRunStore.list, of everything": list(common),
    "TestRunStore.list, of everything, behind a run": list(common, middle)
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})

/** The calls of the lists for the pages. */
const overviewCalls = Effect.fnUntraced(function* ({ account, build, preview, repository, run }: Prepared) {
  const overview = yield* OverviewStore
  const at = keyOf(repository)
  const buildsOf = { account: account.id, repository: at, limit: 10 }

  return {
    "OverviewStore.branches": overview.branches({ account: account.id, limit: 10 }),
    "OverviewStore.branches, of a repository": overview.branches(buildsOf),
    "OverviewStore.builds": overview.builds(buildsOf),
    "OverviewStore.builds, of a platform": overview.builds({ ...buildsOf, platform: "android" }),
    "OverviewStore.builds, of an app": overview.builds({ ...buildsOf, app: "rider" }),
    "OverviewStore.builds, of a branch": overview.builds({ ...buildsOf, branch: common.branch }),
    "OverviewStore.builds, of a branch and a platform": overview.builds({
      ...buildsOf,
      branch: common.branch,
      platform: "android"
    }),
    "OverviewStore.builds, behind a build": overview.builds({ ...buildsOf, after: BuildId.make("b5") }),
    "OverviewStore.builds, of a branch, behind a build": overview.builds({
      ...buildsOf,
      branch: common.branch,
      after: BuildId.make("b5")
    }),
    "OverviewStore.uploads": overview.uploads(account.id, build.id, 10),
    "OverviewStore.runsOf": overview.runsOf(account.id, preview.shareId, 10),
    "OverviewStore.previews": overview.previews({ account: account.id, repository: at, limit: 10 }),
    "OverviewStore.previews, without those of test runs": overview.previews({
      account: account.id,
      repository: at,
      isTestRun: false,
      limit: 10
    }),
    "OverviewStore.previews, behind a preview": overview.previews({
      account: account.id,
      repository: at,
      after: ReservationId.make("p5"),
      limit: 10
    }),
    "OverviewStore.neighbours": overview.neighbours(account.id, run.id),
    "OverviewStore.billedSince": overview.billedSince(account.id, instant(0))
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})

// A call of every method of every metadata port, in every form that sends a different statement. The name of a call
// begins with its port and method.

/** Stores the records that the calls need: an account with one of each kind, most of them alike. */
export const makeOneOfEach = Effect.gen(function* () {
  const home = yield* newHome
  const { account, repository } = home
  const key = makeKey(account)
  const { build, reservation } = yield* newBuild(home, { build: { branch: "main" }, reservation: { keyId: key.id } })
  yield* (yield* KeyStore).insert(key)
  const preview = makePreview(account)
  yield* (yield* PreviewStore).commitReserve({ preview })
  const once = makeOnce(account)
  const run = makeRun(repository, preview, { name: "Checkout", branch: "main", source: "ci", pr: 1 })
  yield* (yield* TestRunStore).insert({ run, history: yield* changeWith(run), once })
  const link = makeShareLink(account, { shared: { preview: preview.shareId } })
  yield* (yield* ShareLinkStore).insert(link)
  const session = makeSession(key, { address: "192.0.2.1", userAgent: "Mozilla/5.0" })
  yield* (yield* SessionStore).begin({ session, now: instant(0) })
  return { account, build, home, key, link, once, preview, repository, reservation, run, session }
})

export type Prepared = Effect.Success<typeof makeOneOfEach>

/** The calls, to be made once and in order. */
export const callsOn = Effect.fnUntraced(function* (loaded: Prepared) {
  const accounts = yield* AccountStore
  const keys = yield* KeyStore
  const repositories = yield* RepositoryStore
  const builds = yield* BuildStore
  const previews = yield* PreviewStore
  const runs = yield* TestRunStore
  const idempotency = yield* IdempotencyStore
  const reservations = yield* ReservationStore
  const links = yield* ShareLinkStore
  const sessions = yield* SessionStore
  const trusts = yield* TrustStore
  const usage = yield* UsageStore
  const removals = yield* ObjectDeletionStore
  const retention = yield* RetentionStore
  const sweeps = yield* SweepStore
  const { account, build, home, key, link, once, preview, repository, reservation, run, session } = loaded
  const at = keyOf(repository)
  const next = reserveAgain(home, build, { id: ReservationId.make(idAt(2)) })
  const finalized = onFinalize(next.build, reservation, { now: instant(9), hostedPrefix: "hosted/x/y/" })
  const replacement = makeKey(account)
  const whenOthersAreOver = { reservedAt: instant(900_004), expiresAt: instant(1_800_004) }
  const answered = [account.id, once.answer.keyHash, once.now] as const
  const ready = onPreviewFinalize(preview, { now: instant(9), hostedPrefix: "hosted/x/y/" })
  const unbilled = makePreview(account)
  const unbilledReady = onPreviewFinalize(unbilled, { now: instant(9), hostedPrefix: "hosted/x/z/" })
  const replacing = makeSession(key)
  const linksOf = { account: account.id, shared: link.shared, limit: 10 }

  const publishedKey = makeKey(account)
  const publishedLink = makeShareLink(account)
  const publishedEvent = makeEvent(publishedKey)
  const another = () => ({ ...publishedEvent, id: EventId.make(idAt(1)) })
  const trust = makeTrust(repository)
  const exchanging = { tokenHash: "a token", endsAt: instant(20), now: instant(10), key: makeKey(account) }
  const within = {
    month: "2150-01",
    quotas: { bytesStored: 1e15, bytesPerMonth: 1e15, previewsPerMonth: 1e15, runsPerMonth: 1e15 },
    requested: { ...zeroAmounts, bytesStored: 1, bytesPerMonth: 1, previewsPerMonth: 1, runsPerMonth: 1 }
  }
  const [fourth, fourthPreview] = [firstReserve(home), makePreview(account)]
  const hosted = ["1", "2"].map((digit) => makeHosted(account, { contentHash: digit.repeat(64) }))
  const [fifth, fifthPreview] = [firstReserve(home), makePreview(account)]
  const shared = {
    newBytes: 0,
    ownBytes: 0,
    shared: Object.fromEntries(hosted.map(({ objectKey }, index) => [`files/${index}`, objectKey]))
  }
  const removal = makeObjectDeletion(account)
  const [third, thirdPreview] = [firstReserve(home), makePreview(account)]

  return {
    // First, because other calls forget what is over.
    ...(yield* sweepCalls(loaded)),
    "AccountStore.insert": accounts.insert(makeAccount()),
    "AccountStore.findByName": accounts.findByName(account.name),
    "AccountStore.findOwner, build": accounts.findOwner({ build: build.id }),
    "AccountStore.findOwner, preview": accounts.findOwner({ preview: preview.shareId }),
    "AccountStore.findOwner, run": accounts.findOwner({ run: run.id }),
    "AccountStore.list": accounts.list,
    "KeyStore.insert": keys.insert(makeKey(account)),
    "KeyStore.findByHash": keys.findByHash(key.hash),
    "KeyStore.findById": keys.findById(key.id),
    "KeyStore.list": keys.list(account.id),
    "KeyStore.touch": keys.touch(key.id, instant(1)),
    "KeyStore.rotate": keys.rotate({ old: key.id, oldExpiresAt: instant(9), now: instant(2), replacement }),
    "KeyStore.revoke": keys.revoke(key.id, instant(3)),
    "RepositoryStore.link": repositories.link(makeRepository(account)),
    "RepositoryStore.find": repositories.find(account.id, at),
    "RepositoryStore.configure": repositories.configure(account.id, at, { defaultBranch: "main" }),
    "RepositoryStore.list": repositories.list(account.id),
    "BuildStore.loadForReserve": builds.loadForReserve(account.id, at, build),
    "BuildStore.findByToken": builds.findByToken(reservation.tokenHash),
    "BuildStore.findById": builds.findById(account.id, build.id),
    "BuildStore.findLatest, one alive": builds.findLatest(account.id, at, "main", "ios", instant(4)),
    "BuildStore.findLatest, of an app": builds.findLatest(account.id, at, "main", "ios", instant(4), "rider"),
    "BuildStore.findLatest, none alive": builds.findLatest(account.id, at, "main", "ios", instant(1e12)),
    "BuildStore.commitReserve, of a new build": builds.commitReserve(firstReserve(home)),
    "BuildStore.commitReserve, of a new build, with room": builds.commitReserve({
      ...firstReserve(home, { reservation: whenOthersAreOver }),
      openBelow: 10
    }),
    "BuildStore.commitReserve, kept": builds.commitReserve({ ...firstReserve(home), once: makeOnce(account) }),
    "BuildStore.commitReserve, again": builds.commitReserve(next),
    "BuildStore.commitReserve, again, without room": Effect.flip(
      builds.commitReserve({
        ...reserveAgain(home, next.build, { id: ReservationId.make(idAt(4)) }),
        openBelow: 1
      })
    ),
    "BuildStore.commitFinalize": builds.commitFinalize(finalized),
    "BuildStore.commitReserve, again and kept": builds.commitReserve({
      ...reserveAgain(home, finalized.build, { id: ReservationId.make(idAt(3)) }),
      once: makeOnce(account)
    }),
    "PreviewStore.findByToken": previews.findByToken(preview.tokenHash),
    "PreviewStore.findByShareId": previews.findByShareId(account.id, preview.shareId),
    "PreviewStore.commitReserve": previews.commitReserve({ preview: unbilled }),
    "PreviewStore.commitReserve, kept": previews.commitReserve({
      preview: makePreview(account),
      once: makeOnce(account)
    }),
    "PreviewStore.commitReserve, with room": previews.commitReserve({
      preview: makePreview(account, whenOthersAreOver),
      openBelow: 10
    }),
    "PreviewStore.commitFinalize": previews.commitFinalize({ preview: unbilledReady, billed: false }),
    "PreviewStore.commitFinalize, billed": previews.commitFinalize({ preview: ready, billed: true }),
    "PreviewStore.usage": previews.usage(account.id),
    ...(yield* runCalls(loaded)),
    "IdempotencyStore.find": idempotency.find(...answered),
    "ReservationStore.countOpen": reservations.countOpen(account.id, instant(4), 4),
    "ReservationStore.findForPut": reservations.findForPut(reservation.id),
    "BuildStore.commitFinalize, with hosted objects": Effect.andThen(
      builds.commitReserve(fourth),
      builds.commitFinalize({
        ...onFinalize(fourth.build, fourth.reservation, { now: instant(9), hostedPrefix: "hosted/x/c/" }),
        hosted
      })
    ),
    "PreviewStore.commitFinalize, with hosted objects": Effect.andThen(
      previews.commitReserve({ preview: fourthPreview }),
      previews.commitFinalize({
        preview: onPreviewFinalize(fourthPreview, { now: instant(9), hostedPrefix: "hosted/x/d/" }),
        billed: false,
        hosted,
        lost: hosted.map(({ objectKey }) => objectKey)
      })
    ),
    "BuildStore.commitFinalize, with shared objects": Effect.andThen(
      builds.commitReserve(fifth),
      builds.commitFinalize(
        onFinalize(fifth.build, fifth.reservation, { now: instant(9), hostedPrefix: "hosted/x/e/", stored: shared })
      )
    ),
    "PreviewStore.commitFinalize, with shared objects": Effect.andThen(
      previews.commitReserve({ preview: fifthPreview }),
      previews.commitFinalize({
        preview: onPreviewFinalize(fifthPreview, { now: instant(9), hostedPrefix: "hosted/x/f/", stored: shared }),
        billed: false
      })
    ),
    "ObjectDeletionStore.findShared": removals.findShared(hosted.map(({ objectKey }) => objectKey)),
    "ReservationStore.findHosted": reservations.findHosted(account.id, hosted),
    "ReservationStore.findForReserve": reservations.findForReserve(account.id, hosted),
    "ReservationStore.addDecompressed": reservations.addDecompressed(reservation.id, 7),
    "ShareLinkStore.insert": links.insert(makeShareLink(account, { shared: { run: run.id } })),
    "ShareLinkStore.findByHash": links.findByHash(link.secretHash),
    "ShareLinkStore.find": links.find(link.id),
    "ShareLinkStore.list": links.list(linksOf),
    "ShareLinkStore.list, behind a link": links.list({ ...linksOf, after: ShareLinkId.make("l5") }),
    "ShareLinkStore.revoke": links.revoke(account.id, link.id, instant(6)),
    "SessionStore.begin": sessions.begin({ session: replacing, replaces: session.secretHash, now: instant(7) }),
    "SessionStore.findByHash": sessions.findByHash(replacing.secretHash),
    "SessionStore.findById": sessions.findById(replacing.id),
    "SessionStore.list": sessions.list({ key: key.id, limit: 10 }),
    "SessionStore.list, behind a session": sessions.list({ key: key.id, after: SessionId.make("w5"), limit: 10 }),
    "SessionStore.removeByHash": sessions.removeByHash(replacing.secretHash),
    "SessionStore.remove": sessions.remove(key.id, replacing.id),
    "SessionStore.removeAll": sessions.removeAll(replacement.id),
    ...(yield* overviewCalls(loaded)),
    "KeyStore.insert, with an event": keys.insert(publishedKey, publishedEvent),
    "KeyStore.rotate, with an event": keys.rotate({
      old: publishedKey.id,
      oldExpiresAt: instant(9),
      now: instant(2),
      replacement: makeKey(account),
      event: another()
    }),
    "KeyStore.revoke, with an event": keys.revoke(publishedKey.id, instant(3), another()),
    "KeyStore.revoke, again": keys.revoke(publishedKey.id, instant(4), another()),
    "ShareLinkStore.insert, with an event": links.insert(publishedLink, another()),
    "ShareLinkStore.revoke, with an event": links.revoke(account.id, publishedLink.id, instant(6), another()),
    "ShareLinkStore.revoke, again": links.revoke(account.id, publishedLink.id, instant(7), another()),
    "TestRunStore.insert, with an event": runs.insert({
      run: makeRun(repository, preview),
      events: [another(), another()]
    }),
    "BuildStore.commitFinalize, with an event": Effect.andThen(
      builds.commitReserve(third),
      builds.commitFinalize({
        ...onFinalize(third.build, third.reservation, { now: instant(9), hostedPrefix: "hosted/x/a/" }),
        event: another()
      })
    ),
    "PreviewStore.commitFinalize, with an event": Effect.andThen(
      previews.commitReserve({ preview: thirdPreview }),
      previews.commitFinalize({
        preview: onPreviewFinalize(thirdPreview, { now: instant(9), hostedPrefix: "hosted/x/b/" }),
        billed: true,
        event: another()
      })
    ),
    "TrustStore.trust": trusts.trust(trust),
    "TrustStore.find": trusts.find(at, trust.issuer),
    "TrustStore.list": trusts.list(account.id),
    "TrustStore.isTrusted": trusts.isTrusted(trust.issuer),
    "TrustStore.pin": trusts.pin(repository.id, trust.issuer, { repository: "1", owner: "2" }),
    "TrustStore.use": trusts.use({ tokenHash: "a secret", endsAt: instant(20), now: instant(10) }),
    "TrustStore.exchange": trusts.exchange(exchanging),
    "TrustStore.exchange, with an event": trusts.exchange({
      ...exchanging,
      key: makeKey(account),
      tokenHash: "another token",
      event: another()
    }),
    "TrustStore.exchange, again": trusts.exchange(exchanging),
    "TrustStore.untrust": trusts.untrust(repository.id, trust.issuer),
    "UsageStore.setQuotas": usage.setQuotas({ accountId: account.id, bytesStored: 1 }),
    "UsageStore.find": usage.find(account.id, "2150-01", instant(3)),
    "PreviewStore.commitReserve, within quotas": previews.commitReserve({ preview: makePreview(account), within }),
    "BuildStore.commitReserve, within quotas": builds.commitReserve({ ...firstReserve(home), within }),
    "TestRunStore.insert, within quotas": runs.insert({ run: makeRun(repository, preview), within }),
    ...(yield* deliveryCalls(loaded, publishedEvent)),
    "BuildStore.loadForDelete": builds.loadForDelete(account.id, third.build.id),
    "BuildStore.commitDelete": builds.commitDelete({ build: third.build, removals: [removal] }).pipe(Effect.flip),
    "BuildStore.commitDelete, of a build as it is": builds.commitDelete({
      build: { ...third.build, version: third.build.version + 1 },
      removals: [removal, makeObjectDeletion(account)]
    }),
    "PreviewStore.commitDelete": previews.commitDelete({ preview, removals: [makeObjectDeletion(account)] }),
    "TestRunStore.commitDelete, with its history": Effect.provideService(
      Effect.gen(function* () {
        const last = makeRun(repository, preview, { name: "New", branch: "main", source: "ci" })
        yield* runs.insert({ run: last, history: yield* changeWith(last) })
        yield* runs.commitDelete(last, yield* changeWithout(last))
      }),
      TestHistoryStore,
      yield* TestHistoryStore
    ),
    "TestRunStore.commitDelete": runs.commitDelete(run),
    "ObjectDeletionStore.claim": removals.claim({ now: instant(10), until: instant(20), limit: 10 }),
    "ObjectDeletionStore.list": removals.list({ limit: 10 }),
    "ObjectDeletionStore.list, behind one": removals.list({ after: ObjectDeletionId.make("r5"), limit: 10 }),
    "ObjectDeletionStore.postpone": removals.postpone([removal.id], instant(30)),
    "ObjectDeletionStore.complete": removals.complete([removal.id]),
    "RetentionStore.setRules, to none": retention.setRules({ accountId: account.id, rules: {} }),
    "RetentionStore.setRules": retention.setRules({ accountId: account.id, rules: { buildsPerBranch: 3 } }),
    "RetentionStore.rules": retention.rules(account.id),
    "RetentionStore.keep, a build": retention.keep({ build: build.id }, instant(5), account.id),
    "RetentionStore.keep, a preview": retention.keep({ preview: preview.shareId }, instant(5)),
    "RetentionStore.keep, a run": retention.keep({ run: run.id }, instant(5), account.id),
    "RetentionStore.release": Effect.andThen(
      retention.keep({ build: build.id }, instant(5), account.id),
      retention.release({ build: build.id })
    ),
    "SweepStore.earlierTime": sweeps.earlierTime(instant(10)),
    "SweepStore.findReservations": sweeps.findReservations([reservation.id, preview.id]),
    "SweepStore.acquireLease": sweeps.acquireLease({
      job: "sweep",
      holder: "a host",
      now: instant(1),
      until: instant(2),
      latest: instant(3)
    }),
    "SweepStore.saveCheckpoint": sweeps.saveCheckpoint({ job: "sweep", holder: "a host", cursor: "half" }),
    "RepositoryStore.unlink": repositories.unlink(account.id, at),
    ...(yield* erasureCalls)
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})
