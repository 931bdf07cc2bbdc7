import { assert } from "@effect/vitest"
import { Context, Effect, Option, Result } from "effect"
import type { Account } from "../../core/model/Account.ts"
import { BuildId } from "../../core/model/Build.ts"
import { type HostedObject, ObjectKey, type ObjectDeletion } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import type { ShareLink } from "../../core/model/Resource.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import { Conflict } from "../../core/ports/WriteFailure.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { monthOf } from "../../core/rules/limits.ts"
import { hostedRoot } from "../../core/rules/reservations.ts"
import {
  type BuildPorts,
  firstReserve,
  type Home,
  keyOf,
  newBuild,
  newHome,
  plainView,
  reserveAgain,
  seen
} from "./parts/stored.ts"
import { assertAtomic, assertConflict, concurrently, onlyWinner } from "./parts/commits.ts"
import { assertFound, found, plainBuild, plainPreview, plainObjectDeletion, plainUpload } from "./parts/plain.ts"
import { idAt, instant, makeHosted, makePreview, makeObjectDeletion, makeRun, makeShareLink } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

export const deletionCases = (it: Cases<DeletionPorts | UsageStore>) => {
  buildDeletionCases(it)
  previewDeletionCases(it)
  runDeletionCases(it)
  sharedContentCases(it)
}

/** What can be deleted, and everything that can show it. */
type DeletionPorts =
  | BuildPorts
  | OverviewStore
  | PreviewStore
  | ObjectDeletionStore
  | ReservationStore
  | ShareLinkStore
  | TestRunStore

export type Change = ReturnType<typeof firstReserve>

export const finalized = ({ build, reservation }: Change, prefix = `${hostedRoot(reservation)}1/`): Change =>
  onFinalize(build, reservation, { now: instant(7), hostedPrefix: prefix })

/** A build that is ready, with what it has hosted. */
const newReady = (home: Home) =>
  Effect.gen(function* () {
    const change = finalized(yield* newBuild(home))
    const hosted = hostedBy(home.account, change.reservation)
    yield* (yield* BuildStore).commitFinalize({ ...change, hosted: [hosted] })
    return { ...change, hosted }
  })

export const hostedBy = (account: Account, { hostedPrefix = "hosted/none/" }: { readonly hostedPrefix?: string }) =>
  makeHosted(account, { objectKey: ObjectKey.make(`${hostedPrefix}bundle`) })

const objectDeletionOf = (account: Account, reservation: { readonly id: ReservationId }) =>
  makeObjectDeletion(account, { prefix: hostedRoot(reservation) })

/** The removals that are stored, those of other cases included. */
export const removals = ObjectDeletionStore.use((store) => store.list({ limit: 1000 }))

const assertObjectDeletions = (...expected: ReadonlyArray<ObjectDeletion>) =>
  Effect.gen(function* () {
    const ids = new Set<string>(expected.map(({ id }) => id))
    assert.sameDeepMembers(
      (yield* removals).map(plainObjectDeletion).filter(({ id }) => ids.has(id)),
      expected.map(plainObjectDeletion)
    )
  })

const assertNoObjectDeletion = ({ accountId }: Pick<ObjectDeletion, "accountId">) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(
      (yield* removals).filter((one) => one.accountId === accountId),
      []
    )
  })

/** A finalized preview of the home's account. */
export const newPreview = ({ account }: Pick<Home, "account">) =>
  Effect.gen(function* () {
    const reserved = makePreview(account)
    const preview = onPreviewFinalize(reserved, { now: instant(7), hostedPrefix: `${hostedRoot(reserved)}1/` })
    const store = yield* PreviewStore
    const hosted = hostedBy(account, preview)
    yield* store.commitReserve({ preview: reserved })
    yield* store.commitFinalize({ preview, billed: true, hosted: [hosted] })
    return { preview, hosted }
  })

export const newLink = (account: Account, shared: ShareLink["shared"], fields: Partial<ShareLink> = {}) =>
  Effect.gen(function* () {
    const link = makeShareLink(account, { shared, ...fields })
    yield* (yield* ShareLinkStore).insert(link)
    return link
  })

/** Whether a link is found by every call that finds it. */
export const isLinked = ({ accountId, id, secretHash, shared }: ShareLink) =>
  Effect.gen(function* () {
    const store = yield* ShareLinkStore
    const all = [
      Option.isSome(yield* store.find(id)),
      Option.isSome(yield* store.findByHash(secretHash)),
      (yield* store.list({ account: accountId, shared, limit: 100 })).some((one) => one.id === id)
    ]
    assert.strictEqual(new Set(all).size, 1, "some calls find the link, and others don't")
    return all[0]
  })

export const findHosted = (account: Account, ...contents: ReadonlyArray<ReturnType<typeof makeHosted>>) =>
  Effect.map(
    ReservationStore.use((store) => store.findHosted(account.id, contents)),
    (hosted) => hosted.map(({ objectKey }) => objectKey)
  )

const buildDeletionCases = (it: Cases<DeletionPorts>) => {
  it.effect("a build is loaded with every reservation of it", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home)
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitReserve(second)
    const ready = finalized({ build: second.build, reservation: first.reservation })
    yield* store.commitFinalize(ready)
    yield* newBuild(home)
    const { build, reservations } = Option.getOrThrow(yield* store.loadForDelete(home.account.id, first.build.id))
    assert.deepStrictEqual(plainBuild(build), plainBuild(ready.build))
    assert.sameDeepMembers(
      reservations.map((one) => plainUpload(one)),
      [ready.reservation, second.reservation].map((one) => plainUpload(one))
    )
    assert.isTrue(Option.isNone(yield* store.loadForDelete((yield* newHome).account.id, first.build.id)))
  })

  it.effect(
    "a deleted build is found by nothing, nor is a reservation of it, and its removals are stored",
    function* () {
      const store = yield* BuildStore
      const [reservations, overview] = [yield* ReservationStore, yield* OverviewStore]
      const home = yield* newHome
      const { account, repository } = home
      const first = yield* newBuild(home)
      const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
      yield* store.commitReserve(second)
      const ready = finalized({ build: second.build, reservation: first.reservation })
      yield* store.commitFinalize(ready)
      const all = [objectDeletionOf(account, first.reservation), makeObjectDeletion(account, { prefix: "uploads/x/" })]
      const link = yield* newLink(account, { build: ready.build.id })
      const other = yield* newLink(account, { build: BuildId.make(idAt(77)) })

      yield* store.commitDelete({ build: ready.build, removals: all })
      assert.isFalse(yield* isLinked(link))
      assert.isTrue(yield* isLinked(other))
      for (const { reservation } of [first, second]) {
        const { slot, ...others } = yield* seen(account, home, { build: ready.build, reservation })
        assert.isTrue(Option.isSome(slot), "the repository stays")
        assert.isUndefined(Option.getOrUndefined(Option.flatMap(slot, ({ build }) => build)))
        const calls = Object.entries(others).flatMap(([call, one]) => (Option.isSome<unknown>(one) ? [call] : []))
        assert.deepStrictEqual(calls, [], "calls that find it")
        assert.isTrue(Option.isNone(yield* reservations.findForPut(reservation.id)))
      }
      assert.isTrue(Option.isNone(yield* store.loadForDelete(account.id, ready.build.id)))
      assert.strictEqual((yield* reservations.countOpen(account.id, instant(10), 10)).count, 0)
      assert.deepStrictEqual(yield* overview.branches({ account: account.id, limit: 10 }), [])
      assert.deepStrictEqual(
        yield* overview.builds({ account: account.id, repository: keyOf(repository), limit: 10 }),
        []
      )
      assert.deepStrictEqual(yield* overview.uploads(account.id, ready.build.id, 10), [])
      yield* assertObjectDeletions(...all)
    }
  )

  it.effect("other builds stay as they are, and the latest of them is the latest of its branch", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const { account, repository } = home
    const kept = yield* newReady(home)
    const deleted = yield* newBuild(home, { reservation: { id: ReservationId.make(idAt(9)) } })
    const latest = store.findLatest(account.id, keyOf(repository), "main", "ios", instant(10))
    assert.strictEqual(Option.getOrUndefined(yield* latest)?.build.id, deleted.build.id)
    yield* store.commitDelete({ build: deleted.build, removals: [] })
    const expected = plainView({ build: kept.build, repository, upload: kept.reservation })
    assert.deepStrictEqual(found(plainView, yield* latest), expected)
    assert.deepStrictEqual(found(plainView, yield* store.findById(account.id, kept.build.id)), expected)
  })

  it.effect("another account deletes no build, and neither does who knows another version of it", function* () {
    const store = yield* BuildStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    const { build, hosted, reservation } = yield* newReady(home)
    const all = [objectDeletionOf(home.account, reservation), objectDeletionOf(stranger.account, reservation)]
    for (const other of [
      { accountId: stranger.account.id },
      { version: build.version - 1 },
      { version: build.version + 1 }
    ]) {
      yield* assertConflict(store.commitDelete({ build: { ...build, ...other }, removals: all }))
    }
    assert.isTrue(Option.isSome(yield* store.findByToken(reservation.tokenHash)))
    assert.deepStrictEqual(yield* findHosted(home.account, hosted), [hosted.objectKey])
    yield* assertNoObjectDeletion({ accountId: home.account.id })
    yield* assertNoObjectDeletion({ accountId: stranger.account.id })
  })

  it.effect("the content of a deleted build is not hosted any more, and that of others is", function* () {
    const store = yield* BuildStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    const [deleted, kept] = [yield* newReady(home), yield* newReady(home)]
    const { account } = home
    // The same content and the same key, of another account; and the key of another reservation that begins alike.
    const theirs = finalized(yield* newBuild(stranger))
    const same = { ...deleted.hosted, accountId: stranger.account.id }
    yield* store.commitFinalize({ ...theirs, hosted: [same] })
    const alike = finalized(yield* newBuild(home), `${hostedRoot(deleted.reservation).slice(0, -1)}0/1/`)
    const beside = hostedBy(account, alike.reservation)
    yield* store.commitFinalize({ ...alike, hosted: [beside] })

    const removal = objectDeletionOf(account, deleted.reservation)
    yield* store.commitDelete({ build: deleted.build, removals: [removal] })
    assert.deepStrictEqual(yield* findHosted(account, deleted.hosted), [])
    assert.sameMembers(yield* findHosted(account, kept.hosted, beside), [kept.hosted.objectKey, beside.objectKey])
    assert.deepStrictEqual(yield* findHosted(stranger.account, same), [same.objectKey])
  })

  it.effect("the identity of a deleted build is reserved again, for a build of another id", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const { build } = yield* newReady(home)
    yield* store.commitDelete({ build, removals: [] })
    const { branch, commitSha, platform } = build
    const again = yield* newBuild(home, { build: { branch, commitSha, platform } })
    assert.notStrictEqual(again.build.id, build.id)
    assertFound(
      plainBuild,
      Option.map(yield* store.findById(home.account.id, again.build.id), (view) => view.build),
      again.build
    )
  })

  it.effect("what was decided before a deletion is a conflict after it", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const open = yield* newBuild(home)
    const again = reserveAgain(home, open.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitDelete({ build: open.build, removals: [] })
    yield* assertConflict(store.commitFinalize(finalized(open)))
    yield* assertConflict(store.commitReserve(again))
    yield* assertConflict(store.commitDelete({ build: open.build, removals: [] }))
    assert.isTrue(Option.isNone(yield* store.findByToken(again.reservation.tokenHash)))
  })

  it.effect("of a deletion, a finalize and a reserve from one version at once, exactly one is committed", function* () {
    const store = yield* BuildStore
    for (let round = 0; round < 8; round++) {
      const home = yield* newHome
      const open = yield* newBuild(home)
      const removal = objectDeletionOf(home.account, open.reservation)
      const all = [
        store.commitDelete({ build: open.build, removals: [removal] }),
        store.commitFinalize(finalized(open)),
        store.commitReserve(reserveAgain(home, open.build, { id: ReservationId.make(idAt(2)) }))
      ]
      const turned = [...all.slice(round % 3), ...all.slice(0, round % 3)]
      const winner = (onlyWinner(yield* concurrently(turned)) + (round % 3)) % 3
      const isThere = Option.isSome(yield* store.findByToken(open.reservation.tokenHash))
      assert.strictEqual(isThere, winner !== 0)
      yield* winner === 0 ? assertObjectDeletions(removal) : assertNoObjectDeletion(removal)
    }
  })

  it.onTwoHosts(
    "a build that one host deletes is found no more by another that has found it before",
    function* (other) {
      const store = yield* BuildStore
      const theirs = Context.get(other, BuildStore)
      const home = yield* newHome
      const { build, reservation } = yield* newReady(home)
      const isFound = Effect.all([
        Effect.map(theirs.findById(home.account.id, build.id), Option.isSome),
        Effect.map(theirs.findByToken(reservation.tokenHash), Option.isSome)
      ])
      assert.deepStrictEqual(yield* isFound, [true, true])
      yield* store.commitDelete({ build, removals: [] })
      assert.deepStrictEqual(yield* isFound, [false, false])
    }
  )

  assertAtomic(
    it,
    {
      interrupted: "an interrupted deletion of a build is committed whole or not at all",
      failing: "a deletion of a build during which the engine fails is committed whole or not at all"
    },
    Effect.gen(function* () {
      const home = yield* newHome
      const { build, hosted, reservation } = yield* newReady(home)
      const store = yield* BuildStore
      const removal = objectDeletionOf(home.account, reservation)
      return {
        run: store.commitDelete({ build, removals: [removal] }),
        check: Effect.gen(function* () {
          const isThere = Option.isSome(yield* store.findById(home.account.id, build.id))
          assert.strictEqual(Option.isSome(yield* store.findByToken(reservation.tokenHash)), isThere)
          assert.strictEqual((yield* findHosted(home.account, hosted)).length, isThere ? 1 : 0)
          yield* isThere ? assertNoObjectDeletion(removal) : assertObjectDeletions(removal)
        })
      }
    })
  )
}

const finalizedNow = (preview: Preview): Preview =>
  onPreviewFinalize(preview, { now: instant(8), hostedPrefix: `${hostedRoot(preview)}2/` })

const previewDeletionCases = (it: Cases<DeletionPorts>) => {
  it.effect("a deleted preview is found by nothing, and its removals are stored", function* () {
    const store = yield* PreviewStore
    const reservations = yield* ReservationStore
    const home = yield* newHome
    const { account } = home
    const { hosted, preview } = yield* newPreview(home)
    const open = makePreview(account)
    yield* store.commitReserve({ preview: open })
    const kept = yield* newPreview(home)
    const removal = objectDeletionOf(account, preview)
    yield* store.commitDelete({ preview, removals: [removal] })
    yield* store.commitDelete({ preview: open, removals: [] })
    for (const gone of [preview, open]) {
      assert.isTrue(Option.isNone(yield* store.findByShareId(account.id, gone.shareId)))
      assert.isTrue(Option.isNone(yield* store.findByToken(gone.tokenHash)))
      assert.isTrue(Option.isNone(yield* reservations.findForPut(gone.id)))
    }
    assert.strictEqual((yield* reservations.countOpen(account.id, instant(10), 10)).count, 0)
    assert.deepStrictEqual(yield* findHosted(account, hosted, kept.hosted), [kept.hosted.objectKey])
    yield* assertObjectDeletions(removal)
    assertFound(plainPreview, yield* store.findByShareId(account.id, kept.preview.shareId), kept.preview)
    yield* assertConflict(store.commitFinalize({ preview: finalizedNow(open), billed: false }))
    yield* assertConflict(store.commitDelete({ preview, removals: [removal] }))
  })

  it.effect("the runs of a deleted preview stay, and so does what was billed", function* () {
    const [store, runs, overview] = [yield* PreviewStore, yield* TestRunStore, yield* OverviewStore]
    const home = yield* newHome
    const { account, repository } = home
    const { preview } = yield* newPreview(home)
    const run = makeRun(repository, preview)
    yield* runs.insert({ run })
    const usage = yield* store.usage(account.id)
    assert.strictEqual(usage.length, 1)
    yield* store.commitDelete({ preview, removals: [] })
    assert.isTrue(Option.isSome(yield* runs.find(account.id, run.id)))
    const listed = yield* overview.runsOf(account.id, preview.shareId, 10)
    assert.deepStrictEqual(
      listed.map((one) => one.run.id),
      [run.id]
    )
    assert.deepStrictEqual(yield* store.usage(account.id), usage)
    assert.strictEqual(yield* overview.billedSince(account.id, instant(0)), 1)
  })

  it.effect("the links to a deleted preview end, revoked or not, and no others do", function* () {
    const home = yield* newHome
    const { account, repository } = home
    const [deleted, kept] = [yield* newPreview(home), yield* newPreview(home)]
    const stranger = (yield* newHome).account
    const run = makeRun(repository, deleted.preview)
    yield* (yield* TestRunStore).insert({ run })
    const shared = { preview: deleted.preview.shareId }
    const ended = [yield* newLink(account, shared), yield* newLink(account, shared, { revokedAt: instant(9) })]
    const others = [
      yield* newLink(account, { preview: kept.preview.shareId }),
      yield* newLink(account, { run: run.id }),
      yield* newLink(stranger, shared)
    ]
    yield* (yield* PreviewStore).commitDelete({ preview: deleted.preview, removals: [] })
    for (const link of ended) assert.isFalse(yield* isLinked(link))
    for (const link of others) assert.isTrue(yield* isLinked(link))
  })

  it.effect("another account deletes no preview", function* () {
    const store = yield* PreviewStore
    const [home, stranger] = [yield* newHome, yield* newHome]
    const { hosted, preview } = yield* newPreview(home)
    const link = yield* newLink(home.account, { preview: preview.shareId })
    const removal = objectDeletionOf(stranger.account, preview)
    const asStranger = { ...preview, accountId: stranger.account.id }
    yield* assertConflict(store.commitDelete({ preview: asStranger, removals: [removal] }))
    assertFound(plainPreview, yield* store.findByToken(preview.tokenHash), preview)
    assert.isTrue(yield* isLinked(link))
    assert.deepStrictEqual(yield* findHosted(home.account, hosted), [hosted.objectKey])
    yield* assertNoObjectDeletion(removal)
  })

  assertAtomic(
    it,
    {
      interrupted: "an interrupted deletion of a preview is committed whole or not at all",
      failing: "a deletion of a preview during which the engine fails is committed whole or not at all"
    },
    Effect.gen(function* () {
      const home = yield* newHome
      const { hosted, preview } = yield* newPreview(home)
      const link = yield* newLink(home.account, { preview: preview.shareId })
      const store = yield* PreviewStore
      const removal = objectDeletionOf(home.account, preview)
      return {
        run: store.commitDelete({ preview, removals: [removal] }),
        check: Effect.gen(function* () {
          const isThere = Option.isSome(yield* store.findByToken(preview.tokenHash))
          assert.strictEqual(yield* isLinked(link), isThere)
          assert.strictEqual((yield* findHosted(home.account, hosted)).length, isThere ? 1 : 0)
          yield* isThere ? assertNoObjectDeletion(removal) : assertObjectDeletions(removal)
        })
      }
    })
  )
}

const runDeletionCases = (it: Cases<DeletionPorts>) => {
  it.effect("a deleted run is found and listed by nothing, and others are as before", function* () {
    const [runs, overview] = [yield* TestRunStore, yield* OverviewStore]
    const home = yield* newHome
    const { account, repository } = home
    const { preview } = yield* newPreview(home)
    const fields = { name: "Checkout", branch: "main", source: "ci", pr: 7 }
    const all = [4, 5, 6].map((at) => makeRun(repository, preview, { ...fields, createdAt: instant(at) }))
    const [first, deleted, last] = all
    if (first === undefined || deleted === undefined || last === undefined) return assert.fail("three were made")
    for (const run of all) yield* runs.insert({ run })
    yield* runs.commitDelete(deleted)
    assert.isTrue(Option.isNone(yield* runs.find(account.id, deleted.id)))
    const kept = [last.id, first.id]
    const query = {
      account: account.id,
      repository: keyOf(repository),
      after: Option.none(),
      limit: 10,
      bytes: 2 ** 53
    }
    const { name: _, ...given } = fields
    for (const filter of [{}, { kind: deleted.kind }, { status: deleted.status }, given]) {
      const listed = Option.getOrThrow(yield* runs.list({ ...query, filter }))
      assert.deepStrictEqual(
        listed.map(({ run }) => run.id),
        kept
      )
    }
    const listed = yield* overview.runsOf(account.id, preview.shareId, 10)
    assert.deepStrictEqual(
      listed.map(({ run }) => run.id),
      kept
    )
    const { previous } = yield* overview.neighbours(account.id, last.id)
    assert.strictEqual(Option.getOrUndefined(previous)?.run.id, first.id)
    yield* assertConflict(runs.commitDelete(deleted))
    assertFound(plainPreview, yield* (yield* PreviewStore).findByToken(preview.tokenHash), preview)
  })

  it.effect("the links to a deleted run end, and no others do", function* () {
    const runs = yield* TestRunStore
    const home = yield* newHome
    const { account, repository } = home
    const { preview } = yield* newPreview(home)
    const [deleted, kept] = [makeRun(repository, preview), makeRun(repository, preview)]
    for (const run of [deleted, kept]) yield* runs.insert({ run })
    const ended = yield* newLink(account, { run: deleted.id })
    const others = [
      yield* newLink(account, { run: kept.id }),
      yield* newLink(account, { preview: preview.shareId }),
      yield* newLink((yield* newHome).account, { run: deleted.id })
    ]
    yield* runs.commitDelete(deleted)
    assert.isFalse(yield* isLinked(ended))
    for (const link of others) assert.isTrue(yield* isLinked(link))
  })

  it.effect("another account deletes no run", function* () {
    const runs = yield* TestRunStore
    const home = yield* newHome
    const { preview } = yield* newPreview(home)
    const run = makeRun(home.repository, preview)
    yield* runs.insert({ run })
    const link = yield* newLink(home.account, { run: run.id })
    yield* assertConflict(runs.commitDelete({ accountId: (yield* newHome).account.id, id: run.id }))
    assert.isTrue(Option.isSome(yield* runs.find(home.account.id, run.id)))
    assert.isTrue(yield* isLinked(link))
  })
}

const kinds = ["build", "preview"] as const
type Kind = (typeof kinds)[number]

/** What a finalize stores: contents of its own, and those that it shares. */
interface Storing {
  readonly hosted?: ReadonlyArray<HostedObject>
  readonly lost?: ReadonlyArray<ObjectKey>
  readonly shared?: ReadonlyArray<HostedObject>
  readonly ownBytes?: number
}

const bytesOf = (hosted: ReadonlyArray<HostedObject>) => hosted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** A reserved upload; its finalize, and its deletion with the removals of what it stored and shared. */
const newUpload = Effect.fnUntraced(function* (home: Home, kind: Kind) {
  const builds = yield* BuildStore
  const previews = yield* PreviewStore
  const change = kind === "build" ? yield* newBuild(home) : undefined
  const preview = makePreview(home.account)
  if (change === undefined) yield* previews.commitReserve({ preview })
  const reservation = change?.reservation ?? preview
  const prefix = `${hostedRoot(reservation)}1/`
  const finalize = ({ hosted = [], lost = [], ownBytes = 0, shared = [] }: Storing) => {
    const event = {
      now: instant(9),
      hostedPrefix: prefix,
      stored: {
        newBytes: ownBytes + bytesOf(hosted),
        ownBytes,
        shared: Object.fromEntries(shared.map(({ objectKey }, index) => [`files/${index}`, objectKey]))
      }
    }
    return change === undefined
      ? previews.commitFinalize({ preview: onPreviewFinalize(preview, event), billed: false, hosted, lost })
      : builds.commitFinalize({ ...onFinalize(change.build, change.reservation, event), hosted, lost })
  }
  const remove = Effect.fnUntraced(function* (...storedBy: ReadonlyArray<typeof reservation>) {
    const removals = [reservation, ...storedBy].map((one) => objectDeletionOf(home.account, one))
    if (change === undefined) return yield* previews.commitDelete({ preview, removals })
    const loaded = Option.getOrThrow(yield* builds.loadForDelete(home.account.id, change.build.id))
    return yield* builds.commitDelete({ build: loaded.build, removals })
  })
  const content = (name: string) =>
    makeHosted(home.account, { objectKey: ObjectKey.make(prefix + name), sizeBytes: 1000 })
  return { content, finalize, remove, reservation }
})

const held = (...hosted: ReadonlyArray<HostedObject>) =>
  Effect.map(
    ObjectDeletionStore.use((store) => store.findShared(hosted.map(({ objectKey }) => objectKey))),
    (keys) => [...keys]
  )

const used = ({ account }: Home) =>
  Effect.map(
    UsageStore.use((store) => store.find(account.id, monthOf(instant(9)), instant(9))),
    ({ used: { bytesStored, bytesPerMonth } }) => ({ bytesStored, bytesPerMonth })
  )

const sharedContentCases = (it: Cases<DeletionPorts | UsageStore>) => {
  it.effect("shared content is hosted until the last upload that shares it is deleted", function* () {
    for (const kind of kinds) {
      for (const firstGoes of [true, false]) {
        const home = yield* newHome
        const [first, second] = [yield* newUpload(home, kind), yield* newUpload(home, kind)]
        const [own, shared] = [first.content("own"), first.content("shared")]
        yield* first.finalize({ hosted: [own, shared] })
        yield* second.finalize({ shared: [shared] })
        assert.sameMembers(yield* held(own, shared, second.content("none")), [own.objectKey, shared.objectKey])
        yield* firstGoes ? first.remove() : second.remove(first.reservation)
        const left = firstGoes ? [shared.objectKey] : [own.objectKey, shared.objectKey]
        assert.sameMembers(yield* held(own, shared), left)
        assert.sameMembers(yield* findHosted(home.account, own, shared), left)
        yield* firstGoes ? second.remove(first.reservation) : first.remove()
        assert.deepStrictEqual(yield* held(own, shared), [])
        assert.deepStrictEqual(yield* findHosted(home.account, own, shared), [])
      }
    }
  })

  it.effect("a finalize that shares what is hosted no longer is a Conflict, and changes nothing", function* () {
    for (const kind of kinds) {
      const home = yield* newHome
      const [first, second] = [yield* newUpload(home, kind), yield* newUpload(home, kind)]
      const [shared, other] = [first.content("shared"), second.content("other")]
      yield* first.finalize({ hosted: [shared] })
      yield* first.remove()
      yield* assertConflict(second.finalize({ shared: [shared], hosted: [other] }))
      assert.deepStrictEqual(yield* held(shared, other), [])
      yield* second.finalize({ hosted: [other] })
    }
  })

  it.effect("an object of a content that is hosted already is a Conflict, unless the other one is lost", function* () {
    for (const kind of kinds) {
      const home = yield* newHome
      const [first, second] = [yield* newUpload(home, kind), yield* newUpload(home, kind)]
      const [content, other] = [first.content("content"), second.content("other")]
      const again = { ...content, objectKey: second.content("again").objectKey }
      yield* first.finalize({ hosted: [content] })
      const lost = [other.objectKey]
      yield* assertConflict(second.finalize({ hosted: [other, again], lost }))
      assert.deepStrictEqual(yield* findHosted(home.account, content, other), [content.objectKey])
      yield* second.finalize({ hosted: [other, again], lost: [content.objectKey] })
      assert.sameMembers(yield* findHosted(home.account, content, other), [again.objectKey, other.objectKey])
      assert.strictEqual((yield* used(home)).bytesStored, 2000)
      yield* first.remove()
      assert.sameMembers(yield* findHosted(home.account, content, other), [again.objectKey, other.objectKey])
    }
  })

  it.effect(
    "bytes that uploads share count once, for as long as one has them; what is new counts in its month",
    function* () {
      const home = yield* newHome
      const [first, second] = [yield* newUpload(home, "build"), yield* newUpload(home, "preview")]
      const shared = first.content("shared")
      yield* first.finalize({ hosted: [shared], ownBytes: 1 })
      assert.deepStrictEqual(yield* used(home), { bytesStored: 1001, bytesPerMonth: 1001 })
      yield* second.finalize({ shared: [shared], ownBytes: 20 })
      assert.deepStrictEqual(yield* used(home), { bytesStored: 1021, bytesPerMonth: 1021 })
      yield* first.remove()
      assert.deepStrictEqual(yield* used(home), { bytesStored: 1020, bytesPerMonth: 1021 })
      yield* second.remove(first.reservation)
      assert.deepStrictEqual(yield* used(home), { bytesStored: 0, bytesPerMonth: 1021 })
    }
  )

  it.effect(
    "an upload is finalized while what it shares is deleted: either it has it, or it is a Conflict",
    function* () {
      for (const round of Array.from({ length: 8 }, (_, index) => index)) {
        const home = yield* newHome
        const kind = kinds[round % 2] ?? "build"
        const [first, second] = [yield* newUpload(home, kind), yield* newUpload(home, kind)]
        const shared = first.content("shared")
        yield* first.finalize({ hosted: [shared] })
        const both = [second.finalize({ shared: [shared] }), first.remove()]
        const results = yield* concurrently(round % 4 < 2 ? both : both.toReversed())
        const [finalized] = round % 4 < 2 ? results : results.toReversed()
        const has = finalized !== undefined && Result.isSuccess(finalized)
        if (finalized !== undefined && Result.isFailure(finalized)) assert.instanceOf(finalized.failure, Conflict)
        assert.deepStrictEqual(yield* held(shared), has ? [shared.objectKey] : [])
        assert.strictEqual((yield* used(home)).bytesStored, has ? 1000 : 0)
      }
    }
  )

  it.effect("the last two uploads that share something are deleted at once, and it is hosted no longer", function* () {
    for (let round = 0; round < 8; round++) {
      const home = yield* newHome
      const uploads = [
        yield* newUpload(home, "build"),
        yield* newUpload(home, "preview"),
        yield* newUpload(home, "build")
      ]
      const [first, ...others] = uploads
      if (first === undefined) return
      const shared = first.content("shared")
      yield* first.finalize({ hosted: [shared] })
      for (const one of others) yield* one.finalize({ shared: [shared] })
      yield* concurrently(uploads.map((one) => one.remove(first.reservation)))
      assert.deepStrictEqual(yield* held(shared), [])
      assert.strictEqual((yield* used(home)).bytesStored, 0)
    }
  })

  it.effect("of uploads finalized at once with the same new content, one stores it", function* () {
    const home = yield* newHome
    const uploads = yield* Effect.forEach([...kinds, ...kinds], (kind) => newUpload(home, kind))
    const content = makeHosted(home.account)
    const results = yield* concurrently(
      uploads.map((one) => one.finalize({ hosted: [{ ...content, objectKey: one.content("same").objectKey }] }))
    )
    assert.strictEqual(results.filter(Result.isSuccess).length, 1)
    for (const one of results.filter(Result.isFailure)) assert.instanceOf(one.failure, Conflict)
    assert.strictEqual((yield* used(home)).bytesStored, content.sizeBytes)
  })
}
