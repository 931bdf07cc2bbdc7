/**
 * A call of every method of every metadata port, in every form that sends a different statement. The name of a call
 * begins with its port and method.
 */
import { Effect } from "effect"
import { RemovalId } from "../../../core/model/Removal.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { SessionId } from "../../../core/model/Session.ts"
import { ShareLinkId } from "../../../core/model/ShareLink.ts"
import { EventId } from "../../../core/model/SlipwayEvent.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { RetentionStore } from "../../../core/ports/RetentionStore.ts"
import { SweepStore } from "../../../core/ports/SweepStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { UsageStore } from "../../../core/ports/UsageStore.ts"
import { zeroAmounts } from "../../../core/rules/quotas.ts"
import { onFinalize } from "../../../core/rules/builds.ts"
import { onPreviewFinalize } from "../../../core/rules/previews.ts"
import { firstReserve, keyOf, newBuild, newHome, reserveAgain } from "../../kit/parts/buildPorts.ts"
import { changeWith, changeWithout } from "../../kit/parts/histories.ts"
import { deliveryCalls } from "./deliveryCalls.ts"
import { erasureCalls, sweepCalls } from "./ended.ts"
import { overviewCalls, runCalls } from "./runCalls.ts"
import {
  idAt,
  instant,
  makeAccount,
  makeEvent,
  makeHosted,
  makeKey,
  makeOnce,
  makePreview,
  makeRemoval,
  makeRepository,
  makeRun,
  makeSession,
  makeShareLink,
  makeTrust
} from "../../kit/parts/samples.ts"

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
  const removals = yield* RemovalStore
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
  const removal = makeRemoval(account)
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
    "RemovalStore.findShared": removals.findShared(hosted.map(({ objectKey }) => objectKey)),
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
    "TestRunStore.insert, with an event": runs.insert({ run: makeRun(repository, preview), event: another() }),
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
      removals: [removal, makeRemoval(account)]
    }),
    "PreviewStore.commitDelete": previews.commitDelete({ preview, removals: [makeRemoval(account)] }),
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
    "RemovalStore.claim": removals.claim({ now: instant(10), until: instant(20), limit: 10 }),
    "RemovalStore.list": removals.list({ limit: 10 }),
    "RemovalStore.list, behind one": removals.list({ after: RemovalId.make("r5"), limit: 10 }),
    "RemovalStore.postpone": removals.postpone([removal.id], instant(30)),
    "RemovalStore.complete": removals.complete([removal.id]),
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
