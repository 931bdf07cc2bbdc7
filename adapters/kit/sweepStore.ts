import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import { ObjectKey } from "../../core/model/ObjectKey.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import type { EndedRule, RetentionRule, SweepOrder } from "../../core/model/Sweep.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../core/ports/RemovalStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { onFinalize } from "../../core/rules/builds.ts"
import { onPreviewFinalize } from "../../core/rules/previews.ts"
import { newBuild, newHome, reserveAgain, type Home } from "./parts/buildPorts.ts"
import type { MetadataPorts } from "./parts/MetadataPorts.ts"
import { plainRemoval } from "./parts/plain.ts"
import { assertConflict, many } from "./parts/racing.ts"
import {
  idAt,
  instant,
  makeHosted,
  makeKey,
  makeOnce,
  makePreview,
  makeRemoval,
  makeRun,
  makeSession,
  makeShareLink
} from "./parts/samples.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"

type Reserved = Effect.Success<ReturnType<typeof newBuild>>

const finalize = Effect.fnUntraced(function* ({ build, reservation }: Reserved, at: number) {
  const hostedPrefix = `hosted/${reservation.id}/a/`
  const next = onFinalize(build, reservation, { now: instant(at), hostedPrefix })
  const hosted = makeHosted({ id: reservation.accountId }, { objectKey: ObjectKey.make(`${hostedPrefix}bundle`) })
  yield* (yield* BuildStore).commitFinalize({ ...next, hosted: [hosted] })
  return { ...next, hosted }
})

const reserve = Effect.fnUntraced(function* (home: Home, before: Reserved["build"], end: number) {
  const change = reserveAgain(home, before, { expiresAt: instant(end) })
  yield* (yield* BuildStore).commitReserve(change)
  return change
})

const newPreview = Effect.fnUntraced(function* (account: Account, end: number, readyAt?: number) {
  const store = yield* PreviewStore
  const preview = makePreview(account, { expiresAt: instant(end) })
  yield* store.commitReserve({ preview })
  if (readyAt === undefined) return preview
  const ready = onPreviewFinalize(preview, { now: instant(readyAt), hostedPrefix: `hosted/${preview.id}/a/` })
  yield* store.commitFinalize({ preview: ready, billed: true })
  return ready
})

const newRun = Effect.fnUntraced(function* ({ repository }: Home, preview: Preview, at: number) {
  const run = makeRun(repository, preview, { createdAt: instant(at) })
  yield* (yield* TestRunStore).insert({ run })
  return run
})

const newKey = Effect.fnUntraced(function* (account: Account, fields: Partial<ApiKey> = {}) {
  const key = makeKey(account, fields)
  yield* (yield* KeyStore).insert(key)
  return key
})

/** Everything that goes by an order, page by page. */
const dueBy = Effect.fnUntraced(function* (order: SweepOrder, limit = 100) {
  const store = yield* SweepStore
  const found = []
  let after: string | undefined
  do {
    const page = yield* store.due(order, { after, limit })
    found.push(...page.due)
    after = page.next
  } while (after !== undefined)
  return found
})

/** Takes everything that goes by an order, with a removal for each upload; answers how many things were taken. */
const takeBy = Effect.fnUntraced(function* (order: SweepOrder) {
  const due = yield* dueBy(order)
  const things = due.map(({ id, reservations }) => ({
    id,
    removals: reservations.map(({ accountId, id }) => ({ ...makeRemoval({ id: accountId }), prefix: `hosted/${id}/` }))
  }))
  return (yield* (yield* SweepStore).take(order, things)).length
})

const removedPrefixes = Effect.map(
  RemovalStore.use((store) => store.list({ limit: 1000 })),
  (all) => all.map(({ prefix }) => prefix).toSorted()
)

const ended = (rule: EndedRule, until: number): SweepOrder => ({ rule, until: instant(until) })
const aged = (rule: Exclude<RetentionRule, "builds">, account: Account, until: number): SweepOrder => ({
  rule,
  account: account.id,
  until: instant(until)
})

const findBuild = ({ build }: Pick<Reserved, "build">) =>
  BuildStore.use((store) => store.findById(build.accountId, build.id))
const isThere = ({ build }: Pick<Reserved, "build">) => Effect.map(findBuild({ build }), Option.isSome)
const isPreviewThere = (preview: Preview) =>
  Effect.map(
    PreviewStore.use((store) => store.findByShareId(preview.accountId, preview.shareId)),
    Option.isSome
  )

/** Asserts that nothing goes a millisecond before `at`, and `count` things at that instant, once. */
const assertTaken = Effect.fnUntraced(function* (order: (until: number) => SweepOrder, at: number, count: number) {
  assert.deepStrictEqual(yield* dueBy(order(at - 1)), [], "before its end")
  assert.strictEqual(yield* takeBy(order(at - 1)), 0)
  assert.lengthOf(yield* dueBy(order(at)), count)
  assert.strictEqual(yield* takeBy(order(at)), count)
  assert.deepStrictEqual(yield* dueBy(order(at)), [], "what was taken")
})

export const sweepStoreCases = (it: Cases<MetadataPorts>) => {
  it.effect(
    "a build that was never ready goes with its reservations, and their bytes, from the end of the last one on",
    function* () {
      const home = yield* newHome
      const first = yield* newBuild(home, { reservation: { expiresAt: instant(100) } })
      const second = yield* reserve(home, first.build, 200)
      yield* newBuild(home, { reservation: { expiresAt: instant(900) } })
      yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(100) } }), 50)
      yield* assertTaken((until) => ended("abandoned_builds", until), 200, 1)
      assert.isFalse(yield* isThere(first))
      const prefixes = [first, second].map(({ reservation }) => `hosted/${reservation.id}/`).toSorted()
      assert.deepStrictEqual(yield* removedPrefixes, prefixes)
      const again = yield* newBuild(home, { build: { commitSha: first.build.commitSha } })
      assert.notStrictEqual(again.build.id, first.build.id)
    }
  )

  it.effect(
    "a live reservation never goes, and a finalize of one that went is a conflict that changes nothing",
    function* () {
      const home = yield* newHome
      const store = yield* BuildStore
      const ready = yield* finalize(yield* newBuild(home), 50)
      const over = yield* reserve(home, ready.build, 900_100)
      const live = yield* reserve(home, over.build, 900_200)
      yield* assertTaken((until) => ended("abandoned_uploads", until), 900_100, 1)
      const late = onFinalize(live.build, over.reservation, { now: instant(60), hostedPrefix: "hosted/x/y/" })
      yield* assertConflict(store.commitFinalize(late))
      const now = Option.getOrThrow(yield* store.findByToken(live.reservation.tokenHash))
      assert.strictEqual(now.build.shown, ready.reservation.id)
      yield* finalize({ build: now.build, reservation: live.reservation }, 70)
      assert.isTrue(Option.isNone(yield* store.findByToken(over.reservation.tokenHash)))
      assert.deepStrictEqual(yield* removedPrefixes, [`hosted/${over.reservation.id}/`])
    }
  )

  it.effect("a finalize that was decided before another reservation of its build went is a conflict", function* () {
    const home = yield* newHome
    const ready = yield* finalize(yield* newBuild(home), 50)
    const over = yield* reserve(home, ready.build, 900_100)
    const next = yield* reserve(home, over.build, 900_200)
    yield* takeBy(ended("abandoned_uploads", 900_100))
    const late = onFinalize(next.build, next.reservation, { now: instant(60), hostedPrefix: "hosted/x/y/" })
    yield* assertConflict(BuildStore.use((store) => store.commitFinalize(late)))
  })

  it.effect("an upload goes from the instant on at which its build showed another one, which stays", function* () {
    const home = yield* newHome
    const first = yield* finalize(yield* newBuild(home), 50)
    const second = yield* finalize(yield* reserve(home, first.build, 900_100), 60)
    const third = yield* finalize(yield* reserve(home, second.build, 900_200), 70)
    yield* assertTaken((until) => ended("superseded_uploads", until), 60, 1)
    yield* assertTaken((until) => ended("superseded_uploads", until), 70, 1)
    const view = Option.getOrThrow(yield* findBuild(third))
    assert.strictEqual(view.upload.id, third.reservation.id)
    const { hosted } = { hosted: [first, second, third].map((one) => one.hosted) }
    const left = yield* ReservationStore.use((store) => store.findHosted(home.account.id, hosted))
    assert.deepStrictEqual(
      left.map(({ objectKey }) => objectKey),
      [third.hosted.objectKey]
    )
  })

  it.effect("a preview that was never finalized goes from the end of its reservation on", function* () {
    const { account } = yield* newHome
    const over = yield* newPreview(account, 100)
    const [live, ready] = [yield* newPreview(account, 900), yield* newPreview(account, 100, 50)]
    yield* assertTaken((until) => ended("abandoned_previews", until), 100, 1)
    assert.isFalse(yield* isPreviewThere(over))
    for (const one of [live, ready]) assert.isTrue(yield* isPreviewThere(one))
    assert.deepStrictEqual(yield* removedPrefixes, [`hosted/${over.id}/`])
  })

  it.effect("answers, sessions, share links, used tokens and exchanged keys go from their ends on", function* () {
    const { account, repository } = yield* newHome
    const [sessions, links] = [yield* SessionStore, yield* ShareLinkStore]
    const key = yield* newKey(account)
    const over = makeSession(key, { expiresAt: instant(100) })
    for (const session of [over, makeSession(key, { expiresAt: instant(900) })]) {
      yield* sessions.begin({ session, now: instant(0) })
    }
    const expired = makeShareLink(account, { expiresAt: instant(100) })
    const revoked = makeShareLink(account, { expiresAt: instant(900) })
    for (const link of [expired, revoked, makeShareLink(account, { expiresAt: instant(900) })])
      yield* links.insert(link)
    yield* links.revoke(account.id, revoked.id, instant(100))
    const once = makeOnce(account, { expiresAt: instant(100) }, instant(0))
    yield* PreviewStore.use((store) => store.commitReserve({ preview: makePreview(account), once }))
    const exchanged = makeKey(account, { createdAt: instant(40), expiresAt: instant(100) })
    yield* TrustStore.use((store) =>
      store.exchange({ tokenHash: "used", endsAt: instant(100), now: instant(0), key: exchanged })
    )
    yield* sessions.begin({ session: makeSession(exchanged, { expiresAt: instant(900) }), now: instant(0) })
    const made = yield* newKey(account, { createdAt: instant(0), expiresAt: instant(3_600_001) })

    for (const rule of ["answers", "sessions", "used_tokens"] as const) {
      yield* assertTaken((until) => ended(rule, until), 100, 1)
    }
    yield* assertTaken((until) => ended("share_links", until), 100, 2)
    assert.lengthOf(yield* sessions.list({ key: key.id, limit: 10 }), 1)
    assert.isTrue(Option.isNone(yield* links.find(expired.id)))
    const { accountId, keyHash } = once.answer
    assert.isTrue(Option.isNone(yield* IdempotencyStore.use((store) => store.find(accountId, keyHash, instant(1)))))
    yield* assertTaken((until) => ended("exchanged_keys", until), 100, 1)
    assert.strictEqual(yield* takeBy(ended("exchanged_keys", 9_000_000)), 0)
    const keys = yield* KeyStore.use((store) => store.list(account.id))
    assert.sameMembers(
      keys.map(({ id }) => id),
      [key.id, made.id]
    )
    assert.isTrue(repository.linkedAt !== undefined)
  })

  it.effect("previews, runs and what was billed go by their age, of the account alone", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    for (const one of [home, other]) {
      const preview = yield* newPreview(one.account, 900, 100)
      yield* newRun(one, preview, 100)
    }
    const links = yield* ShareLinkStore
    const { account } = home
    const [due] = yield* dueBy(aged("previews", account, 100))
    const shared = { run: (yield* newRun(home, yield* newPreview(account, 900, 300), 300)).id }
    const link = makeShareLink(account, { shared })
    yield* links.insert(link)
    assert.strictEqual(due?.sizeBytes, 1)
    for (const rule of ["runs", "previews", "billed"] as const) {
      yield* assertTaken((until) => aged(rule, account, until), 100, 1)
      yield* assertTaken((until) => aged(rule, account, until), 300, 1)
      assert.lengthOf(yield* dueBy(aged(rule, other.account, 300)), 1)
    }
    assert.isTrue(Option.isNone(yield* links.find(link.id)))
    const usage = (of: Account) => PreviewStore.use((store) => store.usage(of.id))
    assert.deepStrictEqual(yield* usage(account), [])
    assert.lengthOf(yield* usage(other.account), 1)
  })

  it.effect(
    "of the ready builds of a branch those beyond a number go, and those of an age, but never the latest",
    function* () {
      const home = yield* newHome
      const lines = [
        { branch: "main", platform: "ios" as const },
        { branch: "main", platform: "android" as const },
        { branch: "other", platform: "ios" as const }
      ]
      const made: Array<Reserved> = []
      for (const [index, line] of lines.entries()) {
        for (let nth = 0; nth < 4 - index; nth++) {
          const id = ReservationId.make(idAt(100 * index + nth + 1))
          made.push(
            yield* finalize(
              yield* newBuild(home, { build: line, reservation: { id, expiresAt: instant(10) } }),
              50 + nth
            )
          )
        }
      }
      const order = (fields: { readonly keep?: number; readonly until?: DateTime.Utc }, now = 10): SweepOrder => ({
        rule: "builds",
        account: home.account.id,
        now: instant(now),
        ...fields
      })
      assert.strictEqual(yield* takeBy(order({})), 0)
      assert.strictEqual(yield* takeBy(order({ keep: 1 }, 9)), 0)
      for (const limit of [1, 2, 3, 100]) assert.lengthOf(yield* dueBy(order({ keep: 2 }), limit), 3)
      assert.strictEqual(yield* takeBy(order({ keep: 3 })), 1)
      assert.strictEqual(yield* takeBy(order({ until: instant(50) })), 2)
      assert.strictEqual(yield* takeBy(order({ keep: 1, until: instant(1000) })), 3)
      assert.strictEqual(yield* takeBy(order({ keep: 1, until: instant(1000) })), 0)
      const there = yield* Effect.filter(made, isThere)
      assert.deepStrictEqual(
        there.map(({ build }) => build.id),
        [made[3], made[6], made[8]].map((one) => one?.build.id)
      )
    }
  )

  it.effect("the latest ready build stays when builds are taken that were due before it was the latest", function* () {
    const home = yield* newHome
    const older = yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(10) } }), 50)
    const newer = yield* finalize(
      yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(9)), expiresAt: instant(10) } }),
      60
    )
    const order: SweepOrder = { rule: "builds", account: home.account.id, now: instant(70), keep: 1 }
    const due = yield* dueBy(order)
    const { accountId, id, version } = newer.build
    yield* BuildStore.use((store) => store.commitDelete({ build: { accountId, id, version }, removals: [] }))
    const things = due.map(({ id }) => ({ id, removals: [] }))
    assert.deepStrictEqual(yield* SweepStore.use((store) => store.take(order, things)), [])
    assert.isTrue(yield* isThere(older))
  })

  it.effect("what is kept never goes, nor the preview of a run that is kept, until it is released", function* () {
    const home = yield* newHome
    const { account } = home
    const retention = yield* RetentionStore
    const older = yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(10) } }), 50)
    yield* finalize(
      yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(9)), expiresAt: instant(10) } }),
      60
    )
    const [kept, ofRun] = [yield* newPreview(account, 900, 50), yield* newPreview(account, 900, 50)]
    const run = yield* newRun(home, ofRun, 50)
    const orders: ReadonlyArray<SweepOrder> = [
      aged("runs", account, 1000),
      aged("previews", account, 1000),
      { rule: "builds", account: account.id, now: instant(1000), keep: 1 }
    ]
    const due = yield* Effect.forEach(orders, (order) => dueBy(order))
    const things = [{ build: older.build.id }, { preview: kept.shareId }, { run: run.id }]
    for (const thing of things) yield* retention.keep(thing, instant(100))
    for (const [index, order] of orders.entries()) {
      assert.deepStrictEqual(yield* dueBy(order), [])
      const were = (due[index] ?? []).map(({ id }) => ({ id, removals: [] }))
      assert.isAbove(were.length, 0)
      assert.deepStrictEqual(yield* SweepStore.use((store) => store.take(order, were)), [])
    }
    for (const thing of things) yield* retention.release(thing)
    assert.deepStrictEqual(yield* Effect.forEach(orders, takeBy), [1, 2, 1])
  })

  it.effect("the removals of what is taken are stored with it, those of what stays are not", function* () {
    const { account } = yield* newHome
    const [over, live] = [yield* newPreview(account, 100), yield* newPreview(account, 900)]
    const order = ended("abandoned_previews", 100)
    const [due] = yield* dueBy(order)
    const removals = [makeRemoval(account), makeRemoval(account)]
    const others = [makeRemoval(account)]
    const taken = yield* SweepStore.use((store) =>
      store.take(order, [
        { id: due?.id ?? "none", removals },
        { id: live.shareId, removals: others },
        { id: "nothing", removals: others }
      ])
    )
    assert.deepStrictEqual(taken, [due?.id ?? "none"])
    assert.isFalse(yield* isPreviewThere(over))
    const stored = yield* RemovalStore.use((store) => store.list({ limit: 10 }))
    assert.sameDeepMembers(stored.map(plainRemoval), removals.map(plainRemoval))
  })

  it.effect("of takes at the same time, no two take the same thing", function* () {
    const { account } = yield* newHome
    for (const _ of many) yield* newPreview(account, 100)
    const order = ended("abandoned_previews", 100)
    const things = (yield* dueBy(order)).map(({ id }) => ({ id, removals: [] }))
    const takes = [things, things.toReversed(), things, things.toReversed()]
    const taken = yield* Effect.forEach(takes, (some) => SweepStore.use((store) => store.take(order, some)), {
      concurrency: "unbounded"
    })
    assert.strictEqual(new Set(taken.flat()).size, taken.flat().length)
    yield* takeBy(order)
    assert.deepStrictEqual(yield* dueBy(order), [])
  })

  it.effect("pages hold everything that goes once, whatever their size", function* () {
    const home = yield* newHome
    for (let at = 0; at < 7; at++) {
      yield* newPreview(home.account, 100 + (at >> 1))
      yield* newRun(home, yield* newPreview(home.account, 900, 50), 50 + (at >> 1))
    }
    for (const limit of [1, 2, 3, 7, 100]) {
      for (const order of [ended("abandoned_previews", 900), aged("runs", home.account, 900)]) {
        const ids = (yield* dueBy(order, limit)).map(({ id }) => id)
        assert.strictEqual(new Set(ids).size, 7)
        assert.lengthOf(ids, 7)
      }
    }
  })

  it.effect("the reservations that there are are known, whatever became of them", function* () {
    const home = yield* newHome
    const open = yield* newBuild(home)
    const ready = yield* finalize(yield* newBuild(home), 50)
    const preview = yield* newPreview(home.account, 100)
    const ids = [open.reservation.id, ready.reservation.id, preview.id]
    const known = yield* SweepStore.use((store) => store.known([...ids, ReservationId.make(idAt(1))]))
    assert.sameMembers(
      known.map(({ id }) => id),
      ids
    )
    const hosted = known.find(({ id }) => id === ready.reservation.id)?.hostedPrefix
    assert.strictEqual(hosted, `hosted/${ready.reservation.id}/a/`)
    assert.deepStrictEqual(yield* SweepStore.use((store) => store.known([])), [])
  })

  it.effect(
    "one holder has the turn at a job until its time is over or the job is done, and finds how far it came",
    function* () {
      const store = yield* SweepStore
      const begin = (holder: string, now: number) =>
        Effect.map(store.begin({ job: "sweep", holder, now: instant(now), until: instant(now + 100) }), (turn) => {
          const { doneAt, place } = Option.getOrElse(turn, () => ({ place: "none", doneAt: undefined }))
          return [place, doneAt && DateTime.toEpochMillis(doneAt) - DateTime.toEpochMillis(instant(0))]
        })
      assert.deepStrictEqual(yield* begin("a", 0), [undefined, undefined])
      assert.deepStrictEqual(yield* begin("b", 99), ["none", undefined])
      assert.deepStrictEqual(yield* begin("a", 50), [undefined, undefined])
      assert.isFalse(yield* store.progress({ job: "sweep", holder: "b", place: "other" }))
      assert.isTrue(yield* store.progress({ job: "sweep", holder: "a", place: "half" }))
      assert.deepStrictEqual(yield* begin("b", 149), ["none", undefined])
      assert.deepStrictEqual(yield* begin("b", 150), ["half", undefined])
      assert.isFalse(yield* store.progress({ job: "sweep", holder: "a", place: "more" }))
      assert.isTrue(yield* store.progress({ job: "sweep", holder: "b", doneAt: instant(200) }))
      assert.deepStrictEqual(yield* begin("a", 160), [undefined, 200])
      const racing = yield* Effect.forEach(
        many,
        (nth) => store.begin({ job: "other", holder: `host ${nth}`, now: instant(0), until: instant(1) }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(racing.filter(Option.isSome), 1)
    }
  )

  it.effect(
    "of a host's time and the engine's own the earlier one counts, and a time that is past stays as it is",
    function* () {
      const { earlier } = yield* SweepStore
      const [past, ahead] = [instant(0), DateTime.makeUnsafe("2150-01-01T00:00:00Z")]
      assert.deepStrictEqual(yield* earlier(past), past)
      assert.isTrue(DateTime.isLessThanOrEqualTo(yield* earlier(ahead), ahead))
    }
  )
}

export const sweepStoreSuite = suiteOf("SweepStore", sweepStoreCases)
