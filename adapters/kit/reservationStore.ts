import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import type { Content, HostedObject } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { type Reservation, ReservationId } from "../../core/model/Reservation.ts"
import type { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { type AccountForReserve, ReservationStore } from "../../core/ports/ReservationStore.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { firstReserve, type Home, keyOf, newBuild, newHome, newKey, newPreview, reserveAgain } from "./parts/stored.ts"
import { assertFound, found, plainBuild, plainKey, plainPreview, plainReservation, plainUpload } from "./parts/plain.ts"
import { assertConflict, many } from "./parts/commits.ts"
import { idAt, instant, makeHosted, makeIdentity, makeKey, makePreview } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

/** How many reservations are open at an instant, and when the first ends, in milliseconds. */
const openAt = (account: Account, at: number, atMost = 100) =>
  Effect.map(
    ReservationStore.use((store) => store.countOpen(account.id, instant(at), atMost)),
    ({ count, firstEnd }) => ({
      count,
      firstEnd: Option.getOrUndefined(
        Option.map(firstEnd, (end) => DateTime.toEpochMillis(end) - DateTime.toEpochMillis(instant(0)))
      )
    })
  )

/** What is stored of a reservation and its key. */
const stored = ({ id }: Pick<Reservation, "id">) =>
  Effect.gen(function* () {
    const one = Option.getOrUndefined(yield* (yield* ReservationStore).findForPut(id))
    return one && { reservation: plainUpload(one.reservation), key: found(plainKey, one.key) }
  })

/** Two builds and two previews that end at different instants, one of each with a known size. */
const fourOpen = ({ account, repository }: Home) =>
  Effect.gen(function* () {
    const first = yield* newBuild({ account, repository }, { reservation: { expiresAt: instant(400) } })
    const second = yield* newBuild(
      { account, repository },
      { reservation: { expiresAt: instant(200), metadataBytes: 9 } }
    )
    const third = yield* newPreview(account, { expiresAt: instant(300) })
    const fourth = yield* newPreview(account, { expiresAt: instant(100), metadataBytes: 9 })
    return { first, second, third, fourth }
  })

export const reservationStoreCases = (it: Cases<ReservationPorts>) => {
  it.effect(
    "the open reservations of builds and previews are counted together, up to the instant of their end",
    function* () {
      const home = yield* newHome
      assert.deepStrictEqual(yield* openAt(home.account, 0), { count: 0, firstEnd: undefined })
      yield* fourOpen(home)
      assert.deepStrictEqual(yield* openAt(home.account, 99), { count: 4, firstEnd: 100 })
      assert.deepStrictEqual(yield* openAt(home.account, 100), { count: 3, firstEnd: 200 })
      assert.deepStrictEqual(yield* openAt(home.account, 250), { count: 2, firstEnd: 300 })
      assert.deepStrictEqual(yield* openAt(home.account, 399), { count: 1, firstEnd: 400 })
      assert.deepStrictEqual(yield* openAt(home.account, 400), { count: 0, firstEnd: undefined })
    }
  )

  it.effect(
    "finalized reservations and other accounts' aren't counted as open, and unlinking a repository changes no count",
    function* () {
      const [home, other] = [yield* newHome, yield* newHome]
      const { account, repository } = home
      const { fourth, second } = yield* fourOpen(home)
      yield* fourOpen(other)
      yield* finalizePreview(fourth)
      assert.deepStrictEqual(yield* openAt(account, 0), { count: 3, firstEnd: 200 })
      yield* finalizeBuild(second)
      assert.deepStrictEqual(yield* openAt(account, 0), { count: 2, firstEnd: 300 })
      yield* (yield* RepositoryStore).unlink(account.id, keyOf(repository))
      assert.deepStrictEqual(yield* openAt(account, 0), { count: 2, firstEnd: 300 })
      assert.deepStrictEqual(yield* openAt(other.account, 0), { count: 4, firstEnd: 100 })
    }
  )

  it.effect("the count stops at the given maximum, and the first end is that of all open reservations", function* () {
    const home = yield* newHome
    yield* fourOpen(home)
    for (const atMost of [1, 2, 3, 4, 5]) {
      assert.deepStrictEqual(yield* openAt(home.account, 0, atMost), { count: Math.min(4, atMost), firstEnd: 100 })
    }
  })

  it.effect("a reservation is found by its id with its key and every field unchanged, open or not", function* () {
    const home = yield* newHome
    const key = yield* newKey(home.account, { scopes: ["builds", "test_runs"], expiresAt: instant(5) })
    const change = yield* newBuild(home, {
      reservation: { keyId: key.id, expiresAt: instant(7), decompressedBytes: 3 }
    })
    const preview = yield* newPreview(home.account, { keyId: key.id, reservedAt: instant(4) })
    const expected = (reservation: Reservation) => ({ reservation: plainUpload(reservation), key: plainKey(key) })
    assert.deepStrictEqual(yield* stored(change.reservation), expected(change.reservation))
    assert.deepStrictEqual(yield* stored(preview), expected(preview))
    yield* finalizeBuild(change)
    yield* finalizePreview(preview)
    const finalized = { finalizedAt: instant(9), hostedPrefix: "hosted/x/y/" }
    assert.deepStrictEqual(yield* stored(change.reservation), expected({ ...change.reservation, ...finalized }))
    assert.deepStrictEqual(yield* stored(preview), expected({ ...preview, ...finalized }))
  })

  it.effect(
    "a reservation is found with the current state of its key, or without a key where none was kept",
    function* () {
      const keys = yield* KeyStore
      const home = yield* newHome
      const key = yield* newKey(home.account)
      const { reservation } = yield* newBuild(home, { reservation: { keyId: key.id } })
      const preview = yield* newPreview(home.account, { keyId: key.id })
      yield* keys.revoke(key.id, instant(20))
      for (const one of [reservation, preview]) {
        assert.deepStrictEqual((yield* stored(one))?.key, plainKey({ ...key, revokedAt: instant(20) }))
      }
      const { reservation: without } = yield* newBuild(home)
      const unknown = yield* newPreview(home.account, { keyId: makeKey(home.account).id })
      for (const one of [without, unknown]) assert.isUndefined((yield* stored(one))?.key)
      assert.isUndefined(yield* stored({ id: ReservationId.make(idAt(1)) }))
      assert.isUndefined(yield* stored({ id: ReservationId.make(reservation.tokenHash) }))
    }
  )

  it.effect("decompressed bytes add up, finalized or not, and change nothing else", function* () {
    const store = yield* ReservationStore
    const home = yield* newHome
    const change = yield* newBuild(home)
    const [preview, other] = [yield* newPreview(home.account), yield* newPreview(home.account)]
    const large = 2 ** 40 + 1
    for (const bytes of [5, large]) {
      for (const { id } of [change.reservation, preview]) yield* store.addDecompressed(id, bytes)
    }
    const added = { decompressedBytes: large + 5 }
    const view = Option.getOrThrow(yield* (yield* BuildStore).findById(home.account.id, change.build.id))
    assert.deepStrictEqual(plainBuild(view.build), plainBuild(change.build))
    assert.deepStrictEqual(plainReservation(view.upload), plainReservation({ ...change.reservation, ...added }))
    const byToken = yield* (yield* PreviewStore).findByToken(preview.tokenHash)
    assertFound(plainPreview, byToken, { ...preview, ...added })
    assert.deepStrictEqual((yield* stored(other))?.reservation, plainUpload(other))
    yield* finalizeBuild(change)
    yield* finalizePreview(preview)
    for (const { id } of [change.reservation, preview]) yield* store.addDecompressed(id, 1)
    const finalized = { finalizedAt: instant(9), hostedPrefix: "hosted/x/y/", decompressedBytes: large + 6 }
    assert.deepStrictEqual((yield* stored(preview))?.reservation, plainUpload({ ...preview, ...finalized }))
    yield* store.addDecompressed(ReservationId.make(idAt(1)), 1)
  })

  it.effect("no concurrent addition is lost", function* () {
    const store = yield* ReservationStore
    const home = yield* newHome
    const { reservation } = yield* newBuild(home)
    const preview = yield* newPreview(home.account)
    for (const one of [reservation, preview]) {
      yield* Effect.forEach(many, () => store.addDecompressed(one.id, 3), { concurrency: "unbounded", discard: true })
      assert.strictEqual((yield* stored(one))?.reservation.decompressedBytes, 3 * many.length)
    }
  })

  it.effect(
    "a reserve beyond the limit is a conflict that stores nothing, until another reservation is finalized or expires",
    function* () {
      const [builds, previews] = [yield* BuildStore, yield* PreviewStore]
      const home = yield* newHome
      const { fourth, second } = yield* fourOpen(home)
      const again = reserveAgain(home, second.build, { reservedAt: instant(99) })
      const first = firstReserve(home, { reservation: { reservedAt: instant(99) } })
      const preview = makePreview(home.account, { reservedAt: instant(99) })
      for (const change of [again, first]) yield* assertConflict(builds.commitReserve({ ...change, openBelow: 4 }))
      yield* assertConflict(previews.commitReserve({ preview, openBelow: 4 }))
      assert.strictEqual((yield* openAt(home.account, 99)).count, 4)
      for (const one of [again.reservation, first.reservation, preview]) assert.isUndefined(yield* stored(one))
      assert.isTrue(Option.isNone(yield* builds.findById(home.account.id, first.build.id)))
      const before = Option.getOrThrow(yield* builds.findByToken(second.reservation.tokenHash))
      assert.deepStrictEqual(plainBuild(before.build), plainBuild(second.build))

      yield* builds.commitReserve({ ...again, openBelow: 5 })
      yield* finalizePreview(fourth)
      yield* builds.commitReserve({ ...first, openBelow: 5 })
      yield* assertConflict(previews.commitReserve({ preview, openBelow: 5 }))
      yield* previews.commitReserve({ preview: { ...preview, reservedAt: instant(200) }, openBelow: 5 })
      assert.strictEqual((yield* openAt(home.account, 200)).count, 5)
    }
  )

  hostedContentCases(it)
}

/** What the cases need beside a `ReservationStore`: the stores whose reservations and quotas it reads. */
type ReservationPorts =
  | AccountStore
  | KeyStore
  | RepositoryStore
  | BuildStore
  | PreviewStore
  | ReservationStore
  | UsageStore

export const finalizeBuild = (
  { build, reservation }: ReturnType<typeof firstReserve>,
  hosted?: ReadonlyArray<HostedObject>
) =>
  BuildStore.use((store) =>
    store.commitFinalize({
      ...onFinalize(build, reservation, { now: instant(9), hostedPrefix: "hosted/x/y/" }),
      hosted
    })
  )

export const finalizePreview = (
  preview: Preview,
  hosted?: ReadonlyArray<HostedObject>,
  lost?: ReadonlyArray<HostedObject["objectKey"]>
) =>
  PreviewStore.use((store) =>
    store.commitFinalize({
      preview: onPreviewFinalize(preview, { now: instant(9), hostedPrefix: "hosted/x/y/" }),
      billed: false,
      hosted,
      lost
    })
  )

/** Finalizes a new build or preview of the account with these objects. */
const host = Effect.fnUntraced(function* (home: Home, kind: "build" | "preview", hosted: ReadonlyArray<HostedObject>) {
  yield* kind === "build"
    ? finalizeBuild(yield* newBuild(home), hosted)
    : finalizePreview(yield* newPreview(home.account), hosted)
})

const hostedOf = (account: Account, contents: ReadonlyArray<Content>) =>
  Effect.map(
    ReservationStore.use((store) => store.findHosted(account.id, contents)),
    (found) => byKey(found.map((one) => ({ ...one })))
  )

/** What a reserve of a build and one of a preview read of the account, which is the same. */
const beforeReserve = Effect.fnUntraced(function* ({ account, repository }: Home, contents: ReadonlyArray<Content>) {
  const plain = ({ hosted, own }: AccountForReserve) => ({
    own: { ...own },
    hosted: byKey(hosted.map((one) => ({ ...one })))
  })
  const found = plain(yield* (yield* ReservationStore).findForReserve(account.id, contents))
  const loaded = yield* (yield* BuildStore).loadForReserve(account.id, keyOf(repository), makeIdentity(), contents)
  assert.deepStrictEqual(plain(Option.getOrThrow(loaded)), found)
  return found
})

const byKey = (objects: ReadonlyArray<HostedObject>) => objects.toSorted((a, b) => (a.objectKey < b.objectKey ? -1 : 1))

/** The contents that finalizes stored, and that a later reserve of the account needn't receive again. */
const hostedContentCases = (it: Cases<ReservationPorts>) => {
  it.effect("of the contents that are asked for, those that a build or a preview finalized are found", function* () {
    const home = yield* newHome
    const { account } = home
    const [built, previewed] = [
      [makeHosted(account), makeHosted(account, { sizeBytes: 2 ** 40 + 1 })],
      [makeHosted(account), makeHosted(account, { sizeBytes: 0 })]
    ]
    const never = makeHosted(account)
    assert.deepStrictEqual(yield* hostedOf(account, [...built, never]), [])
    yield* host(home, "build", built)
    yield* host(home, "preview", previewed)
    assert.deepStrictEqual(yield* hostedOf(account, [...built, never, ...previewed]), byKey([...built, ...previewed]))
    assert.deepStrictEqual(yield* hostedOf(account, built.slice(1)), built.slice(1))
    assert.deepStrictEqual(yield* hostedOf(account, []), [])
  })

  it.effect("content is found by its digest and its size together", function* () {
    const home = yield* newHome
    const one = makeHosted(home.account)
    const larger = makeHosted(home.account, { contentHash: one.contentHash, sizeBytes: one.sizeBytes + 1 })
    const other = makeHosted(home.account)
    yield* host(home, "preview", [one])
    assert.deepStrictEqual(yield* hostedOf(home.account, [larger, other]), [])
    yield* host(home, "preview", [larger])
    assert.deepStrictEqual(yield* hostedOf(home.account, [one]), [one])
    assert.deepStrictEqual(yield* hostedOf(home.account, [larger]), [larger])
  })

  it.effect("what another account finalized is never found", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    const theirs = makeHosted(other.account)
    yield* host(other, "preview", [theirs])
    yield* host(other, "build", [makeHosted(other.account)])
    assert.deepStrictEqual(yield* hostedOf(home.account, [theirs]), [])
    const own = { ...theirs, accountId: home.account.id, objectKey: makeHosted(home.account).objectKey }
    yield* host(home, "preview", [own])
    assert.deepStrictEqual(yield* hostedOf(home.account, [theirs]), [own])
    assert.deepStrictEqual(yield* hostedOf(other.account, [theirs]), [theirs])
  })

  it.effect("a finalize that is a conflict keeps nothing of what it hosted", function* () {
    const home = yield* newHome
    const [change, preview] = [yield* newBuild(home), yield* newPreview(home.account)]
    yield* finalizeBuild(change)
    yield* finalizePreview(preview)
    const [one, two] = [makeHosted(home.account), makeHosted(home.account)]
    yield* assertConflict(finalizeBuild(change, [one]))
    yield* assertConflict(finalizePreview(preview, [two]))
    assert.deepStrictEqual(yield* hostedOf(home.account, [one, two]), [])
  })

  it.effect("a reserve finds the account's own quotas beside what it has hosted", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    const { account } = home
    const hosted = [makeHosted(account), makeHosted(account)]
    const never = makeHosted(account)
    assert.deepStrictEqual(yield* beforeReserve(home, [never]), { own: {}, hosted: [] })
    const store = yield* UsageStore
    yield* store.setQuotas({ accountId: account.id, bytesStored: 5, runsPerMonth: 0 })
    yield* store.setQuotas({ accountId: other.account.id, previewsPerMonth: 7 })
    const own = { bytesStored: 5, runsPerMonth: 0 }
    assert.deepStrictEqual(yield* beforeReserve(home, []), { own, hosted: [] })
    yield* host(home, "build", hosted)
    yield* host(other, "build", [makeHosted(other.account, { contentHash: never.contentHash })])
    assert.deepStrictEqual(yield* beforeReserve(home, [...hosted, never]), { own, hosted: byKey(hosted) })
    const third = yield* newHome
    assert.deepStrictEqual(yield* beforeReserve(third, hosted), { own: {}, hosted: [] })
  })

  it.effect("a thousand objects are stored by one finalize and found by one call", function* () {
    const home = yield* newHome
    const all = Array.from({ length: 1001 }, () => makeHosted(home.account))
    const lost = all.map(({ objectKey }) => objectKey)
    yield* Effect.forEach(
      [all, all.toReversed(), all, all.toReversed()],
      (some) => Effect.flatMap(newPreview(home.account), (preview) => finalizePreview(preview, some, lost)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(yield* hostedOf(home.account, all), byKey(all))
  })
}
