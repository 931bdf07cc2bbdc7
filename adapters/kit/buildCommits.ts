import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Build, BuildReservation } from "../../core/model/Build.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { onFinalize } from "../../core/rules/builds.ts"
import {
  expectedView,
  firstReserve,
  keyOf,
  newBuild,
  newHome,
  plainReserved,
  plainView,
  reserveAgain,
  type BuildPorts,
  type Home
} from "./parts/buildPorts.ts"
import { assertOnce, assertWhole } from "./parts/commitCases.ts"
import { buildCommits } from "./parts/commits.ts"
import { assertFound, found, plainBuild, plainReservation } from "./parts/plain.ts"
import { assertConflict, atOnce, many, onlyWinner } from "./parts/racing.ts"
import { after, epochs, idAt, instant, makeIdentity, newBuildId } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

interface Change {
  readonly build: Build
  readonly reservation: BuildReservation
}

const digests = { bundle: "0f".repeat(32), "files/10": "a".repeat(64) }

const finalized = ({ build, reservation }: Change, attempt = "1", now = instant(77)): Change =>
  onFinalize(build, reservation, { now, hostedPrefix: `hosted/${reservation.id}/${attempt}/`, digests })

/** Asserts that exactly this is stored: the build with its current upload, and the reservation. */
const assertStored = (home: Home, build: Build, reservation: BuildReservation) =>
  Effect.gen(function* () {
    const store = yield* BuildStore
    assertFound(plainReserved, yield* store.findByToken(reservation.tokenHash), {
      build,
      reservation,
      repository: home.repository
    })
  })

/** A build that was reserved twice; the first of these reservations is finalized. */
interface Stored {
  readonly home: Home
  readonly ready: Change
  readonly second: Change
}

interface Commits {
  readonly reserves?: ReadonlyArray<Change>
  readonly finalizes?: ReadonlyArray<Change>
}

const withVersions = ({ build, reservation }: Change) =>
  [1, 2, 3, 5, 6].map((version) => ({ build: { ...build, version }, reservation }))

/** Commits that are refused. */
const refused: Readonly<Record<string, (stored: Stored) => Commits>> = {
  "a reserve from any version but the stored one": ({ home, ready }) => ({
    reserves: withVersions(
      reserveAgain(home, ready.build, { id: ReservationId.make(idAt(3)), expiresAt: instant(1e9) })
    )
  }),
  "a later version of a build that was never stored": ({ home }) => ({
    reserves: [firstReserve(home, { build: { version: 2 } })]
  }),
  "a second build of one identity": ({ home, ready: { build } }) => {
    const { branch, commitSha, platform } = build
    return { reserves: [firstReserve(home, { build: { branch, commitSha, platform, id: newBuildId() } })] }
  },
  "a finalize from any version but the stored one": ({ ready, second }) => ({
    finalizes: withVersions(finalized({ build: ready.build, reservation: second.reservation }))
  }),
  "a second finalize of a reservation": ({ ready }) => ({ finalizes: [finalized(ready, "2")] }),
  "a finalize of an unknown reservation": ({ home, ready }) => {
    const { reservation } = reserveAgain(home, ready.build, { id: ReservationId.make(idAt(3)) })
    return { finalizes: [finalized({ build: ready.build, reservation })] }
  }
}

export const buildCommitCases = (it: Cases<BuildPorts>) => {
  it.effect("a later reservation changes the build and keeps the earlier reservation", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home)
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)), expiresAt: instant(1e9) })
    yield* store.commitReserve(second)
    yield* assertStored(home, second.build, first.reservation)
    yield* assertStored(home, second.build, second.reservation)
  })

  it.effect("a finalize changes the build and its reservation", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home)
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitReserve(second)
    const change = finalized({ build: second.build, reservation: first.reservation })
    yield* store.commitFinalize(change)
    yield* assertStored(home, change.build, change.reservation)
    yield* assertStored(home, change.build, second.reservation)
    assert.deepStrictEqual(
      found(plainView, yield* store.findById(home.account.id, change.build.id)),
      expectedView(home, change)
    )
  })

  it.effect(
    "a finalize sets the time, the location and the digests of its reservation and changes nothing else of it",
    function* () {
      const store = yield* BuildStore
      const home = yield* newHome
      const first = yield* newBuild(home)
      const { build, reservation } = finalized(first)
      const declaration = { ...reservation.declaration, isTransformed: true, bundleSizeBytes: 2 }
      const times = { reservedAt: instant(-1), expiresAt: instant(1) }
      yield* store.commitFinalize({ build, reservation: { ...reservation, ...times, declaration } })
      yield* assertStored(home, build, reservation)
    }
  )

  it.effect("no commit changes a build's account, identity or creation time", function* () {
    const store = yield* BuildStore
    const [home, other] = [yield* newHome, yield* newHome]
    const first = yield* newBuild(home)
    const altered = {
      accountId: other.account.id,
      repositoryId: other.repository.id,
      ...makeIdentity({ branch: "other", platform: "android" }),
      createdAt: instant(999)
    }
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitReserve({ ...second, build: { ...second.build, ...altered } })
    yield* assertStored(home, second.build, second.reservation)
    const change = finalized(second)
    yield* store.commitFinalize({ ...change, build: { ...change.build, ...altered } })
    yield* assertStored(home, change.build, change.reservation)
  })

  for (const [name, commitsOf] of Object.entries(refused)) {
    it.effect(`${name} is a conflict and writes nothing`, function* () {
      const store = yield* BuildStore
      const home = yield* newHome
      const first = yield* newBuild(home)
      const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
      const ready = finalized({ build: second.build, reservation: first.reservation })
      yield* store.commitReserve(second)
      yield* store.commitFinalize(ready)
      const { finalizes = [], reserves = [] } = commitsOf({ home, ready, second })
      const seen = Effect.forEach([ready, second, ...reserves, ...finalizes], ({ build, reservation }) =>
        Effect.all([
          Effect.map(store.findByToken(reservation.tokenHash), (one) => found(plainReserved, one)),
          Effect.map(store.findById(home.account.id, build.id), (one) => found(plainView, one))
        ])
      )
      const before = yield* seen
      for (const change of reserves) yield* assertConflict(store.commitReserve(change))
      for (const change of finalizes) yield* assertConflict(store.commitFinalize(change))
      assert.deepStrictEqual(yield* seen, before)
    })
  }

  it.effect("the same commit in two repositories makes two builds", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    const first = yield* newBuild(home)
    const { branch, commitSha, platform } = first.build
    const second = yield* newBuild(other, { build: { branch, commitSha, platform } })
    yield* assertStored(home, first.build, first.reservation)
    yield* assertStored(other, second.build, second.reservation)
  })

  assertWhole(it, buildCommits)
  assertOnce(it, buildCommits)

  it.effect(
    "a commit is decided by the version and not by the time, so hosts whose clocks differ can commit in turn",
    function* () {
      const store = yield* BuildStore
      const home = yield* newHome
      // Each commit is of an earlier time than the one before, and of an earlier id.
      const times = [instant(600_000), instant(0), ...epochs.toReversed()]
      let last = yield* newBuild(home, {
        reservation: { id: ReservationId.make(idAt(9)), reservedAt: instant(900_000), expiresAt: instant(900_001) }
      })
      for (const [index, at] of times.entries()) {
        const fields = { id: ReservationId.make(idAt(8 - index)), reservedAt: at, expiresAt: after(at, 1) }
        last = reserveAgain(home, last.build, fields)
        yield* store.commitReserve(last)
        yield* assertStored(home, last.build, last.reservation)
        last = finalized(last, "1", after(at, -1))
        yield* store.commitFinalize(last)
        yield* assertStored(home, last.build, last.reservation)
      }
    }
  )

  it.effect("exactly one of several concurrent reserves and finalizes from one version is committed", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home)
    const changes = many.map((index) =>
      index % 2 === 0 ? finalized(first) : reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    )
    const winner = onlyWinner(
      yield* atOnce(
        changes.map((change, index) => (index % 2 === 0 ? store.commitFinalize(change) : store.commitReserve(change)))
      )
    )
    const reserved = Option.getOrThrow(yield* store.findByToken(first.reservation.tokenHash))
    assert.deepStrictEqual(
      plainReservation(reserved.reservation),
      plainReservation(winner % 2 === 0 ? finalized(first).reservation : first.reservation)
    )
    const expected = changes[winner]?.build
    assert.deepStrictEqual(plainBuild(reserved.build), expected && plainBuild(expected))
  })

  it.effect("no change is lost when many load, decide and commit again on a conflict", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const { build, reservation } = yield* newBuild(home)
    const tokens = yield* Effect.forEach(
      many,
      (index) =>
        Effect.gen(function* () {
          const slot = Option.getOrThrow(yield* store.loadForReserve(home.account.id, keyOf(home.repository), build))
          const before = Option.getOrThrow(slot.build)
          const change = reserveAgain(home, before, { id: ReservationId.make(idAt(index + 2)) })
          yield* store.commitReserve(change)
          return change.reservation.tokenHash
        }).pipe(Effect.retry({ while: (error) => error._tag === "Conflict" })),
      { concurrency: "unbounded" }
    )
    for (const token of tokens) assert.isTrue(Option.isSome(yield* store.findByToken(token)))
    const after = Option.getOrThrow(yield* store.findByToken(reservation.tokenHash)).build
    assert.strictEqual(after.version, 1 + many.length)
  })
}
