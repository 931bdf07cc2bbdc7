import { assert } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { BuildId } from "../../core/model/Build.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { hostedRoot } from "../../core/rules/reservations.ts"
import { keyOf, newBuild, newHome, plainView, reserveAgain, seen } from "./parts/buildPorts.ts"
import { assertAtomic } from "./parts/interruption.ts"
import { assertFound, found, plainBuild, plainUpload } from "./parts/plain.ts"
import { assertConflict, atOnce, onlyWinner } from "./parts/racing.ts"
import { idAt, instant, makeRemoval } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import {
  assertNoRemoval,
  assertRemovals,
  finalized,
  findHosted,
  hostedBy,
  isLinked,
  newLink,
  newReady,
  removalOf,
  type DeletionPorts
} from "./parts/deletionPorts.ts"

export const buildDeletionCases = (it: Cases<DeletionPorts>) => {
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
      const all = [removalOf(account, first.reservation), makeRemoval(account, { prefix: "uploads/x/" })]
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
      yield* assertRemovals(...all)
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
    const all = [removalOf(home.account, reservation), removalOf(stranger.account, reservation)]
    for (const other of [
      { accountId: stranger.account.id },
      { version: build.version - 1 },
      { version: build.version + 1 }
    ]) {
      yield* assertConflict(store.commitDelete({ build: { ...build, ...other }, removals: all }))
    }
    assert.isTrue(Option.isSome(yield* store.findByToken(reservation.tokenHash)))
    assert.deepStrictEqual(yield* findHosted(home.account, hosted), [hosted.objectKey])
    yield* assertNoRemoval({ accountId: home.account.id })
    yield* assertNoRemoval({ accountId: stranger.account.id })
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

    const removal = removalOf(account, deleted.reservation)
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
      const removal = removalOf(home.account, open.reservation)
      const all = [
        store.commitDelete({ build: open.build, removals: [removal] }),
        store.commitFinalize(finalized(open)),
        store.commitReserve(reserveAgain(home, open.build, { id: ReservationId.make(idAt(2)) }))
      ]
      const turned = [...all.slice(round % 3), ...all.slice(0, round % 3)]
      const winner = (onlyWinner(yield* atOnce(turned)) + (round % 3)) % 3
      const isThere = Option.isSome(yield* store.findByToken(open.reservation.tokenHash))
      assert.strictEqual(isThere, winner !== 0)
      yield* winner === 0 ? assertRemovals(removal) : assertNoRemoval(removal)
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
      const removal = removalOf(home.account, reservation)
      return {
        run: store.commitDelete({ build, removals: [removal] }),
        check: Effect.gen(function* () {
          const isThere = Option.isSome(yield* store.findById(home.account.id, build.id))
          assert.strictEqual(Option.isSome(yield* store.findByToken(reservation.tokenHash)), isThere)
          assert.strictEqual((yield* findHosted(home.account, hosted)).length, isThere ? 1 : 0)
          yield* isThere ? assertNoRemoval(removal) : assertRemovals(removal)
        })
      }
    })
  )
}
