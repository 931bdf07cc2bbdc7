import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import { ObjectKey } from "../../core/model/HostedObject.ts"
import { type Preview, ShareId } from "../../core/model/Preview.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import type { EndedRule, ExpirySelection, RetentionRule } from "../../core/model/Sweep.ts"
import type { TestRun } from "../../core/model/TestRun.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { ciRunOf, testIdOf } from "../../core/rules/testRuns.ts"
import {
  type Home,
  newBuild,
  newHome,
  newKey,
  newPreview as newReserved,
  newRun,
  reserveAgain
} from "./parts/stored.ts"
import {
  idAt,
  instant,
  makeHosted,
  makeKey,
  makeOnce,
  makePreview,
  makeObjectDeletion,
  makeRun,
  makeSession,
  makeShareLink,
  registered
} from "./parts/samples.ts"
import { assertAtomic, assertConflict, many } from "./parts/commits.ts"
import { idsOf, plainObjectDeletion } from "./parts/plain.ts"
import type { Cases } from "./parts/suite.ts"

export const sweepStoreCases = (it: Cases<MetadataPorts>) => {
  endedSweepCases(it)
  retentionSweepCases(it)
  sweepExpiryCases(it)
  sweepLeaseCases(it)
}

export type Reserved = Effect.Success<ReturnType<typeof newBuild>>

export const finalize = Effect.fnUntraced(function* ({ build, reservation }: Reserved, at: number) {
  const hostedPrefix = `hosted/${reservation.id}/a/`
  const next = onFinalize(build, reservation, { now: instant(at), hostedPrefix })
  const hosted = makeHosted({ id: reservation.accountId }, { objectKey: ObjectKey.make(`${hostedPrefix}bundle`) })
  yield* (yield* BuildStore).commitFinalize({ ...next, hosted: [hosted] })
  return { ...next, hosted }
})

export const reserve = Effect.fnUntraced(function* (home: Home, before: Reserved["build"], end: number) {
  const change = reserveAgain(home, before, { expiresAt: instant(end) })
  yield* (yield* BuildStore).commitReserve(change)
  return change
})

export const newPreview = Effect.fnUntraced(function* (account: Account, end: number, readyAt?: number) {
  const preview = yield* newReserved(account, { expiresAt: instant(end) })
  if (readyAt === undefined) return preview
  const ready = onPreviewFinalize(preview, { now: instant(readyAt), hostedPrefix: `hosted/${preview.id}/a/` })
  yield* (yield* PreviewStore).commitFinalize({ preview: ready, billed: true })
  return ready
})

/** Everything that goes by a selection, page by page. */
const dueBy = Effect.fnUntraced(function* (selection: ExpirySelection, limit = 100) {
  const store = yield* SweepStore
  const found = []
  let after: string | undefined
  do {
    const page = yield* store.due(selection, { after, limit })
    found.push(...page.due)
    after = page.next
  } while (after !== undefined)
  return found
})

/** Expires everything that is due by a selection, with a removal for each upload; answers how many resources were expired. */
const expireBy = Effect.fnUntraced(function* (selection: ExpirySelection) {
  const due = yield* dueBy(selection)
  const resources = due.map(({ id, reservations }) => ({
    id,
    removals: reservations.map(({ accountId, id }) => ({
      ...makeObjectDeletion({ id: accountId }),
      prefix: `hosted/${id}/`
    }))
  }))
  return (yield* (yield* SweepStore).expire(selection, resources)).length
})

const removedPrefixes = Effect.map(
  ObjectDeletionStore.use((store) => store.list({ limit: 1000 })),
  (all) => all.map(({ prefix }) => prefix).toSorted()
)

export const ended = (rule: EndedRule, until: number): ExpirySelection => ({ rule, until: instant(until) })
export const aged = (rule: Exclude<RetentionRule, "builds">, account: Account, until: number): ExpirySelection => ({
  rule,
  account: account.id,
  until: instant(until)
})

export const findBuild = ({ build }: Pick<Reserved, "build">) =>
  BuildStore.use((store) => store.findById(build.accountId, build.id))
export const isThere = ({ build }: Pick<Reserved, "build">) => Effect.map(findBuild({ build }), Option.isSome)
const isPreviewThere = (preview: Preview) =>
  Effect.map(
    PreviewStore.use((store) => store.findByShareId(preview.accountId, preview.shareId)),
    Option.isSome
  )

/** Asserts that nothing expires a millisecond before `at`, and `count` resources at that instant, once. */
const assertExpired = Effect.fnUntraced(function* (
  selection: (until: number) => ExpirySelection,
  at: number,
  count: number
) {
  assert.deepStrictEqual(yield* dueBy(selection(at - 1)), [], "before its end")
  assert.strictEqual(yield* expireBy(selection(at - 1)), 0)
  assert.lengthOf(yield* dueBy(selection(at)), count)
  assert.strictEqual(yield* expireBy(selection(at)), count)
  assert.deepStrictEqual(yield* dueBy(selection(at)), [], "what has expired")
})

/** Asks for the turn at a job, by times in milliseconds. */
const ask = (asked: {
  readonly job?: string
  readonly holder: string
  readonly now: number
  readonly until: number
  readonly latest?: number
}) => {
  const { holder, job = "sweep", latest = 1000, now, until } = asked
  return SweepStore.use((store) =>
    store.acquireLease({ job, holder, now: instant(now), until: instant(until), latest: instant(latest) })
  )
}

const sweepLeaseCases = (it: Cases<MetadataPorts>) => {
  it.effect("every reservation that exists is found, open or finalized", function* () {
    const home = yield* newHome
    const open = yield* newBuild(home)
    const ready = yield* finalize(yield* newBuild(home), 50)
    const preview = yield* newPreview(home.account, 100)
    const ids = [open.reservation.id, ready.reservation.id, preview.id]
    const known = yield* SweepStore.use((store) => store.findReservations([...ids, ReservationId.make(idAt(1))]))
    assert.sameMembers(idsOf(known), ids)
    const hosted = known.find(({ id }) => id === ready.reservation.id)?.hostedPrefix
    assert.strictEqual(hosted, `hosted/${ready.reservation.id}/a/`)
    assert.deepStrictEqual(yield* SweepStore.use((store) => store.findReservations([])), [])
  })

  it.effect(
    "one holder has the lease of a job until it ends or the job is done, and finds its checkpoint",
    function* () {
      const store = yield* SweepStore
      const begin = (holder: string, now: number) =>
        Effect.map(ask({ holder, now, until: now + 100 }), (lease) => {
          const { doneAt, cursor } = Option.getOrElse(lease, () => ({ cursor: "none", doneAt: undefined }))
          return [cursor, doneAt && DateTime.toEpochMillis(doneAt) - DateTime.toEpochMillis(instant(0))]
        })
      assert.deepStrictEqual(yield* begin("a", 0), [undefined, undefined])
      assert.deepStrictEqual(yield* begin("b", 99), ["none", undefined])
      assert.deepStrictEqual(yield* begin("a", 50), [undefined, undefined])
      assert.isFalse(yield* store.saveCheckpoint({ job: "sweep", holder: "b", cursor: "other" }))
      assert.isTrue(yield* store.saveCheckpoint({ job: "sweep", holder: "a", cursor: "half" }))
      assert.deepStrictEqual(yield* begin("b", 149), ["none", undefined])
      assert.deepStrictEqual(yield* begin("b", 150), ["half", undefined])
      assert.isFalse(yield* store.saveCheckpoint({ job: "sweep", holder: "a", cursor: "more" }))
      assert.isTrue(yield* store.saveCheckpoint({ job: "sweep", holder: "b", doneAt: instant(200) }))
      assert.deepStrictEqual(yield* begin("a", 160), [undefined, 200])
      const racing = yield* Effect.forEach(
        many,
        (nth) => ask({ job: "other", holder: `host ${nth}`, now: 0, until: 1 }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(racing.filter(Option.isSome), 1)
    }
  )

  it.effect("a holder that acquires the lease until now releases it, and ends nobody else's", function* () {
    const store = yield* SweepStore
    assert.isTrue(Option.isSome(yield* ask({ holder: "a", now: 0, until: 100 })))
    assert.isTrue(yield* store.saveCheckpoint({ job: "sweep", holder: "a", cursor: "half" }))
    assert.isTrue(Option.isNone(yield* ask({ holder: "b", now: 40, until: 40 })))
    assert.isTrue(Option.isNone(yield* ask({ holder: "b", now: 40, until: 140 })))
    assert.isTrue(Option.isSome(yield* ask({ holder: "a", now: 50, until: 50 })))
    const next = yield* ask({ holder: "b", now: 50, until: 150 })
    assert.deepStrictEqual(Option.getOrUndefined(next), { cursor: "half" })
  })

  it.effect("a lease that ends after the latest valid time is ignored", function* () {
    assert.isTrue(Option.isSome(yield* ask({ holder: "ahead", now: 5000, until: 5100, latest: 6000 })))
    assert.isTrue(Option.isNone(yield* ask({ holder: "a", now: 0, until: 100, latest: 5100 })))
    assert.isTrue(Option.isSome(yield* ask({ holder: "a", now: 0, until: 100, latest: 5099 })))
    assert.isTrue(Option.isNone(yield* ask({ holder: "b", now: 0, until: 100, latest: 5099 })))
  })

  it.effect("the earlier of a host's time and the engine's time counts, and a past time is unchanged", function* () {
    const { earlierTime: earlier } = yield* SweepStore
    const [past, ahead] = [instant(0), DateTime.makeUnsafe("2150-01-01T00:00:00Z")]
    assert.deepStrictEqual(yield* earlier(past), past)
    assert.isTrue(DateTime.isLessThanOrEqualTo(yield* earlier(ahead), ahead))
  })
}

const sweepExpiryCases = (it: Cases<MetadataPorts>) => {
  it.effect("removals are stored for items that expire, and for no others", function* () {
    const { account } = yield* newHome
    const [over, live] = [yield* newPreview(account, 100), yield* newPreview(account, 900)]
    const order = ended("abandoned_previews", 100)
    const [due] = yield* dueBy(order)
    const removals = [makeObjectDeletion(account), makeObjectDeletion(account)]
    const others = [makeObjectDeletion(account)]
    const taken = yield* SweepStore.use((store) =>
      store.expire(order, [
        { id: due?.id ?? "none", removals },
        { id: live.shareId, removals: others },
        { id: "nothing", removals: others }
      ])
    )
    assert.deepStrictEqual(taken, [due?.id ?? "none"])
    assert.isFalse(yield* isPreviewThere(over))
    const stored = yield* ObjectDeletionStore.use((store) => store.list({ limit: 10 }))
    assert.sameDeepMembers(stored.map(plainObjectDeletion), removals.map(plainObjectDeletion))
  })

  assertAtomic(
    it,
    {
      interrupted: "an expiry that is interrupted at any moment is stored whole or not at all",
      failing: "an expiry during which the engine fails is stored whole or not at all"
    },
    Effect.gen(function* () {
      const { account } = yield* newHome
      const preview = yield* newPreview(account, 100)
      const link = makeShareLink(account, { shared: { preview: preview.shareId } })
      const [links, sweeps] = [yield* ShareLinkStore, yield* SweepStore]
      yield* links.insert(link)
      const removal = makeObjectDeletion(account)
      return {
        run: sweeps.expire(ended("abandoned_previews", 100), [{ id: preview.shareId, removals: [removal] }]),
        check: Effect.gen(function* () {
          const isThere = yield* isPreviewThere(preview)
          assert.strictEqual(Option.isSome(yield* links.find(link.id)), isThere)
          const stored = yield* ObjectDeletionStore.use((store) => store.list({ limit: 1000 }))
          assert.strictEqual(
            stored.some(({ id }) => id === removal.id),
            !isThere
          )
        })
      }
    })
  )

  it.effect("of many expiries at once, no two expire the same item", function* () {
    const { account } = yield* newHome
    for (const _ of many) yield* newPreview(account, 100)
    const order = ended("abandoned_previews", 100)
    const resources = (yield* dueBy(order)).map(({ id }) => ({ id, removals: [] }))
    const takes = [resources, resources.toReversed(), resources, resources.toReversed()]
    const taken = yield* Effect.forEach(takes, (some) => SweepStore.use((store) => store.expire(order, some)), {
      concurrency: "unbounded"
    })
    assert.strictEqual(new Set(taken.flat()).size, taken.flat().length)
    yield* expireBy(order)
    assert.deepStrictEqual(yield* dueBy(order), [])
  })

  it.effect("pages list every due item once, whatever their size", function* () {
    const home = yield* newHome
    for (let at = 0; at < 7; at++) {
      yield* newPreview(home.account, 100 + (at >> 1))
      yield* newRun(home.repository, yield* newPreview(home.account, 900, 50), { createdAt: instant(50 + (at >> 1)) })
    }
    for (const limit of [1, 2, 3, 7, 100]) {
      for (const order of [ended("abandoned_previews", 900), aged("runs", home.account, 900)]) {
        const ids = (yield* dueBy(order, limit)).map(({ id }) => id)
        assert.strictEqual(new Set(ids).size, 7)
        assert.lengthOf(ids, 7)
      }
    }
  })
}

const retentionSweepCases = (it: Cases<MetadataPorts>) => {
  it.effect("previews, runs and billed runs expire by their age, those of the account alone", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    for (const one of [home, other]) {
      const preview = yield* newPreview(one.account, 900, 100)
      yield* newRun(one.repository, preview, { createdAt: instant(100) })
    }
    const links = yield* ShareLinkStore
    const { account } = home
    const [due] = yield* dueBy(aged("previews", account, 100))
    const shared = {
      run: (yield* newRun(home.repository, yield* newPreview(account, 900, 300), { createdAt: instant(300) })).id
    }
    const ofPreview = { preview: ShareId.make(due?.id ?? "") }
    const ended = [shared, ofPreview].map((shared) => makeShareLink(account, { shared }))
    for (const link of ended) yield* links.insert(link)
    assert.strictEqual(due?.sizeBytes, 1)
    for (const rule of ["runs", "previews", "billed"] as const) {
      yield* assertExpired((until) => aged(rule, account, until), 100, 1)
      yield* assertExpired((until) => aged(rule, account, until), 300, 1)
      assert.lengthOf(yield* dueBy(aged(rule, other.account, 300)), 1)
    }
    for (const { id } of ended) assert.isTrue(Option.isNone(yield* links.find(id)))
    const usage = (of: Account) => PreviewStore.use((store) => store.usage(of.id))
    assert.deepStrictEqual(yield* usage(account), [])
    assert.lengthOf(yield* usage(other.account), 1)
  })

  it.effect("histories expire by the last run, and CI runs by their start, those of the account alone", function* () {
    const histories = yield* TestHistoryStore
    const [home, other] = [yield* newHome, yield* newHome]
    const preview = yield* newPreview(home.account, 900, 100)
    const run = (of: typeof home, fields: Partial<TestRun>) =>
      registered(makeRun(of.repository, preview, { branch: "main", ...fields }))
    for (const one of [home, other]) {
      yield* run(one, { createdAt: instant(100), source: "ci:1" })
      yield* run(one, { name: "Late", createdAt: instant(400), startedAt: instant(300), source: "ci:2" })
    }
    const last = yield* run(home, { createdAt: instant(350), branch: "other", source: "ci:3" })
    const load = histories.loadForRun({
      repositoryId: last.repositoryId,
      testId: testIdOf(last),
      branch: "main",
      ciRun: ciRunOf(last)
    })
    const left = Effect.map(load, ({ all, branch, ciRun }) => [
      Option.isSome(all),
      Option.isSome(branch),
      Option.isSome(ciRun)
    ])
    yield* assertExpired((until) => aged("histories", home.account, until), 100, 1)
    assert.deepStrictEqual(yield* left, [true, false, true], "the branch alone ran last then")
    yield* assertExpired((until) => aged("histories", home.account, until), 300, 2)
    yield* assertExpired((until) => aged("histories", home.account, until), 350, 2)
    yield* assertExpired((until) => aged("ci_runs", home.account, until), 100, 1)
    yield* assertExpired((until) => aged("ci_runs", home.account, until), 300, 1)
    yield* assertExpired((until) => aged("ci_runs", home.account, until), 350, 1)
    assert.deepStrictEqual(yield* left, [false, false, false])
    assert.isTrue(Option.isSome(yield* TestRunStore.use((runs) => runs.find(home.account.id, last.id))))
    assert.lengthOf(yield* dueBy(aged("histories", other.account, 300), 1), 4)
    assert.lengthOf(yield* dueBy(aged("ci_runs", other.account, 300), 1), 2)
  })

  it.effect("ready builds of a branch expire beyond a number and beyond an age, but never the latest", function* () {
    const home = yield* newHome
    const lines = [
      { branch: "main", platform: "ios" as const },
      { branch: "main", platform: "android" as const },
      { branch: "other", platform: "ios" as const },
      { branch: "main", platform: "ios" as const, app: "rider" }
    ]
    const made: Array<Reserved> = []
    for (const [index, line] of lines.entries()) {
      for (let nth = 0; nth < 4 - index; nth++) {
        const id = ReservationId.make(idAt(100 * index + nth + 1))
        made.push(
          yield* finalize(yield* newBuild(home, { build: line, reservation: { id, expiresAt: instant(10) } }), 50 + nth)
        )
      }
    }
    const links = yield* ShareLinkStore
    const linkTo = ({ build }: Reserved) => makeShareLink(home.account, { shared: { build: build.id } })
    const linked = made.map((one) => ({ one, link: linkTo(one) }))
    for (const { link } of linked) yield* links.insert(link)
    const selection = (
      fields: { readonly keep?: number; readonly until?: DateTime.Utc },
      now = 10
    ): ExpirySelection => ({
      rule: "builds",
      account: home.account.id,
      now: instant(now),
      ...fields
    })
    assert.strictEqual(yield* expireBy(selection({})), 0)
    assert.strictEqual(yield* expireBy(selection({ keep: 1 }, 9)), 0)
    for (const limit of [1, 2, 3, 100]) assert.lengthOf(yield* dueBy(selection({ keep: 2 }), limit), 3)
    assert.strictEqual(yield* expireBy(selection({ keep: 3 })), 1)
    assert.strictEqual(yield* expireBy(selection({ until: instant(50) })), 2)
    assert.strictEqual(yield* expireBy(selection({ keep: 1, until: instant(1000) })), 3)
    assert.strictEqual(yield* expireBy(selection({ keep: 1, until: instant(1000) })), 0)
    const there = yield* Effect.filter(made, isThere)
    assert.deepStrictEqual(
      there.map(({ build }) => build.id),
      [made[3], made[6], made[8], made[9]].map((one) => one?.build.id)
    )
    for (const { link, one } of linked)
      assert.strictEqual(Option.isSome(yield* links.find(link.id)), there.includes(one))
  })

  it.effect("a build that is the latest now stays, although it was due before", function* () {
    const home = yield* newHome
    const older = yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(10) } }), 50)
    const newer = yield* finalize(
      yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(9)), expiresAt: instant(10) } }),
      60
    )
    const selection: ExpirySelection = { rule: "builds", account: home.account.id, now: instant(70), keep: 1 }
    const due = yield* dueBy(selection)
    const { accountId, id, version } = newer.build
    yield* BuildStore.use((store) => store.commitDelete({ build: { accountId, id, version }, removals: [] }))
    const resources = due.map(({ id }) => ({ id, removals: [] }))
    assert.deepStrictEqual(yield* SweepStore.use((store) => store.expire(selection, resources)), [])
    assert.isTrue(yield* isThere(older))
  })

  it.effect("a kept resource never expires, nor does the preview of a kept run, until it is released", function* () {
    const home = yield* newHome
    const { account } = home
    const retention = yield* RetentionStore
    const older = yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(10) } }), 50)
    yield* finalize(
      yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(9)), expiresAt: instant(10) } }),
      60
    )
    const [kept, ofRun] = [yield* newPreview(account, 900, 50), yield* newPreview(account, 900, 50)]
    const run = yield* newRun(home.repository, ofRun, { createdAt: instant(50) })
    const selections: ReadonlyArray<ExpirySelection> = [
      aged("runs", account, 1000),
      aged("previews", account, 1000),
      { rule: "builds", account: account.id, now: instant(1000), keep: 1 }
    ]
    const due = yield* Effect.forEach(selections, (selection) => dueBy(selection))
    const resources = [{ build: older.build.id }, { preview: kept.shareId }, { run: run.id }]
    for (const resource of resources) yield* retention.keep(resource, instant(100))
    for (const [index, selection] of selections.entries()) {
      assert.deepStrictEqual(yield* dueBy(selection), [])
      const were = (due[index] ?? []).map(({ id }) => ({ id, removals: [] }))
      assert.isAbove(were.length, 0)
      assert.deepStrictEqual(yield* SweepStore.use((store) => store.expire(selection, were)), [])
    }
    for (const resource of resources) yield* retention.release(resource)
    assert.deepStrictEqual(yield* Effect.forEach(selections, expireBy), [1, 2, 1])
  })
}

const endedSweepCases = (it: Cases<MetadataPorts>) => {
  it.effect(
    "a build that was never ready expires with its reservations and their bytes, at the end of the last one",
    function* () {
      const home = yield* newHome
      const first = yield* newBuild(home, { reservation: { expiresAt: instant(100) } })
      const second = yield* reserve(home, first.build, 200)
      yield* newBuild(home, { reservation: { expiresAt: instant(900) } })
      yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(100) } }), 50)
      yield* assertExpired((until) => ended("abandoned_builds", until), 200, 1)
      assert.isFalse(yield* isThere(first))
      const prefixes = [first, second].map(({ reservation }) => `hosted/${reservation.id}/`).toSorted()
      assert.deepStrictEqual(yield* removedPrefixes, prefixes)
      const again = yield* newBuild(home, { build: { commitSha: first.build.commitSha } })
      assert.notStrictEqual(again.build.id, first.build.id)
    }
  )

  it.effect(
    "a live reservation never expires, and a finalize of an expired one is a conflict that changes nothing",
    function* () {
      const home = yield* newHome
      const store = yield* BuildStore
      const ready = yield* finalize(yield* newBuild(home), 50)
      const over = yield* reserve(home, ready.build, 900_100)
      const live = yield* reserve(home, over.build, 900_200)
      yield* assertExpired((until) => ended("abandoned_uploads", until), 900_100, 1)
      const late = onFinalize(live.build, over.reservation, { now: instant(60), hostedPrefix: "hosted/x/y/" })
      yield* assertConflict(store.commitFinalize(late))
      const now = Option.getOrThrow(yield* store.findByToken(live.reservation.tokenHash))
      assert.strictEqual(now.build.currentUpload, ready.reservation.id)
      yield* finalize({ build: now.build, reservation: live.reservation }, 70)
      assert.isTrue(Option.isNone(yield* store.findByToken(over.reservation.tokenHash)))
      assert.deepStrictEqual(yield* removedPrefixes, [`hosted/${over.reservation.id}/`])
    }
  )

  it.effect("a finalize that was decided before another reservation of its build expired is a conflict", function* () {
    const home = yield* newHome
    const ready = yield* finalize(yield* newBuild(home), 50)
    const over = yield* reserve(home, ready.build, 900_100)
    const next = yield* reserve(home, over.build, 900_200)
    yield* expireBy(ended("abandoned_uploads", 900_100))
    const late = onFinalize(next.build, next.reservation, { now: instant(60), hostedPrefix: "hosted/x/y/" })
    yield* assertConflict(BuildStore.use((store) => store.commitFinalize(late)))
  })

  it.effect("an upload expires at the instant at which its build shows another one, which stays", function* () {
    const home = yield* newHome
    const first = yield* finalize(yield* newBuild(home), 50)
    const second = yield* finalize(yield* reserve(home, first.build, 900_100), 60)
    const third = yield* finalize(yield* reserve(home, second.build, 900_200), 70)
    yield* assertExpired((until) => ended("superseded_uploads", until), 60, 1)
    yield* assertExpired((until) => ended("superseded_uploads", until), 70, 1)
    const view = Option.getOrThrow(yield* findBuild(third))
    assert.strictEqual(view.upload.id, third.reservation.id)
    const { hosted } = { hosted: [first, second, third].map((one) => one.hosted) }
    const left = yield* ReservationStore.use((store) => store.findHosted(home.account.id, hosted))
    assert.deepStrictEqual(
      left.map(({ objectKey }) => objectKey),
      [third.hosted.objectKey]
    )
  })

  it.effect("a preview that was never finalized expires at the end of its reservation", function* () {
    const { account } = yield* newHome
    const over = yield* newPreview(account, 100)
    const [live, ready] = [yield* newPreview(account, 900), yield* newPreview(account, 100, 50)]
    yield* assertExpired((until) => ended("abandoned_previews", until), 100, 1)
    assert.isFalse(yield* isPreviewThere(over))
    for (const one of [live, ready]) assert.isTrue(yield* isPreviewThere(one))
    assert.deepStrictEqual(yield* removedPrefixes, [`hosted/${over.id}/`])
  })

  it.effect("answers, sessions, share links, used tokens and exchanged keys expire at their ends", function* () {
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
      yield* assertExpired((until) => ended(rule, until), 100, 1)
    }
    yield* assertExpired((until) => ended("share_links", until), 100, 2)
    assert.lengthOf(yield* sessions.list({ key: key.id, limit: 10 }), 1)
    assert.isTrue(Option.isNone(yield* links.find(expired.id)))
    const { accountId, keyHash } = once.answer
    assert.isTrue(Option.isNone(yield* IdempotencyStore.use((store) => store.find(accountId, keyHash, instant(1)))))
    yield* assertExpired((until) => ended("exchanged_keys", until), 100, 1)
    assert.strictEqual(yield* expireBy(ended("exchanged_keys", 9_000_000)), 0)
    const keys = yield* KeyStore.use((store) => store.list(account.id))
    assert.sameMembers(idsOf(keys), [key.id, made.id])
    assert.isTrue(repository.linkedAt !== undefined)
  })
}
