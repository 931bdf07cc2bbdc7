import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import { ReservationId, type Reservation } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { finalizeBuild, finalizePreview, hostedContentCases, type ReservationPorts } from "./hostedContent.ts"
import { firstReserve, keyOf, newBuild, newHome, reserveAgain, type Home } from "./parts/buildPorts.ts"
import { assertFound, found, plainBuild, plainKey, plainPreview, plainReservation, plainUpload } from "./parts/plain.ts"
import { assertConflict, many } from "./parts/racing.ts"
import { idAt, instant, makeKey, makePreview } from "./parts/samples.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"
import { newKey, newPreview } from "./parts/stored.ts"

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

export const reservationStoreSuite = suiteOf("ReservationStore", reservationStoreCases)
