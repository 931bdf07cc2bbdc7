import { assert } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import type { Build, BuildReservation, Platform } from "../../core/model/Build.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { latestBuild, onFinalize } from "../../core/rules/builds.ts"
import {
  buildIn,
  type BuildPorts,
  expectedView,
  firstReserve,
  type Home,
  keyOf,
  newAccount,
  newBuild,
  newHome,
  plainReserved,
  plainView,
  reserveAgain,
  seen
} from "./parts/stored.ts"
import {
  assertConflict,
  assertOnce,
  assertWhole,
  concurrently,
  buildCommits,
  many,
  onlyWinner
} from "./parts/commits.ts"
import { type Cases, forAll } from "./parts/suite.ts"
import {
  assertFound,
  assertKept,
  found,
  fullDeclaration,
  fullUpload,
  manyFiles,
  plainBuild,
  plainRepository,
  plainReservation
} from "./parts/plain.ts"
import { after, epochs, idAt, instant, makeIdentity, makeRepository, nameOf, newBuildId } from "./parts/samples.ts"

export type { BuildPorts } from "./parts/stored.ts"

export const buildStoreCases = (it: Cases<BuildPorts>) => {
  it.section("reads", () => buildReadCases(it))
  it.section("commits", () => buildCommitCases(it))
  it.section("latest", () => latestBuildCases(it))
}

const assertNone = (...answers: ReadonlyArray<Option.Option<unknown>>) => {
  for (const answer of answers) assert.isTrue(Option.isNone(answer))
}

const buildReadCases = (it: Cases<BuildPorts>) => {
  assertKept(it, "a build", {
    owner: newHome,
    full: (home, text, at) =>
      firstReserve(home, {
        build: {
          branch: text,
          platform: "android",
          commitSha: "0123456789abcdef0123456789abcdef01234567",
          createdAt: at,
          readyAt: after(at, 1),
          readyBy: ReservationId.make(idAt(5)),
          reservedUntil: after(at, 2)
        },
        reservation: { ...fullUpload(at), declaration: fullDeclaration(text) }
      }),
    bare: (home) => firstReserve(home),
    store: (change) => BuildStore.use((store) => store.commitReserve(change)),
    read: Effect.fnUntraced(function* ({ build, reservation }, { account, repository }) {
      const store = yield* BuildStore
      const [key, now] = [keyOf(repository), build.readyAt ?? reservation.reservedAt]
      return [
        found(plainView, yield* store.findById(account.id, build.id)),
        found(plainView, yield* store.findLatest(account.id, key, build.branch, build.platform, now)),
        found(plainReserved, yield* store.findByToken(reservation.tokenHash)),
        found(plainBuild, buildIn(yield* store.loadForReserve(account.id, key, build)))
      ]
    }),
    expected: (change, home) => {
      const view = expectedView(home, change)
      return [view, view, plainReserved({ ...change, repository: home.repository }), plainBuild(change.build)]
    }
  })

  it.effect("a declaration of a thousand files keeps all of them in order", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const id = firstReserve(home)
    const declaration = { ...id.reservation.declaration, files: manyFiles }
    const change = yield* newBuild(home, { reservation: { declaration } })
    const view = Option.getOrThrow(yield* store.findById(home.account.id, change.build.id))
    assert.deepStrictEqual(view.upload.declaration.files, manyFiles)
  })

  it.effect("no build is found for a repository that isn't linked", function* () {
    const store = yield* BuildStore
    const { account } = yield* newHome
    const key = keyOf(makeRepository(account))
    assert.isTrue(Option.isNone(yield* store.loadForReserve(account.id, key, makeIdentity())))
  })

  it.effect("a build is found only by its exact branch, platform and commit", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const { build } = yield* newBuild(home)
    const identity = { branch: build.branch, platform: build.platform, commitSha: build.commitSha }
    for (const [other, expected] of [
      [identity, plainBuild(build)],
      [{ ...identity, branch: "MAIN" }, undefined],
      [{ ...identity, branch: "main " }, undefined],
      [{ ...identity, platform: "android" as const }, undefined],
      [makeIdentity(), undefined]
    ] as const) {
      const slot = Option.getOrThrow(yield* store.loadForReserve(home.account.id, keyOf(home.repository), other))
      assert.deepStrictEqual(plainRepository(slot.repository), plainRepository(home.repository))
      assert.deepStrictEqual(found(plainBuild, slot.build), expected)
    }
  })

  it.effect("an unknown token finds nothing", function* () {
    const store = yield* BuildStore
    const { reservation } = yield* newBuild(yield* newHome)
    assert.isTrue(Option.isNone(yield* store.findByToken(reservation.tokenHash.toUpperCase())))
    assert.isTrue(Option.isNone(yield* store.findByToken("")))
  })

  it.effect("each token finds its own reservation", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home)
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitReserve(second)
    for (const { reservation } of [first, second]) {
      assertFound(plainReserved, yield* store.findByToken(reservation.tokenHash), {
        build: second.build,
        reservation,
        repository: home.repository
      })
    }
  })

  it.effect("a build shows the upload that it names and not the last one stored", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home, { build: { readyAt: instant(5), readyBy: ReservationId.make(idAt(1)) } })
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitReserve(second)
    assert.strictEqual(second.build.currentUpload, first.reservation.id)
    assert.deepStrictEqual(
      found(plainView, yield* store.findById(home.account.id, first.build.id)),
      expectedView(home, { build: second.build, reservation: first.reservation })
    )
  })

  it.effect("another account finds nothing", function* () {
    const home = yield* newHome
    const { account: foreigner } = yield* newHome
    const { id, latest, slot } = yield* seen(foreigner, home, yield* newBuild(home))
    assertNone(slot, id, latest)
  })

  it.effect("an unlinked repository hides its builds, and shows them again when it is linked again", function* () {
    const repositories = yield* RepositoryStore
    const home = yield* newHome
    const change = yield* newBuild(home)
    yield* repositories.unlink(home.account.id, keyOf(home.repository))
    const hidden = yield* seen(home.account, home, change)
    assertNone(...Object.values(hidden))

    const again = makeRepository(home.account, { owner: home.repository.owner.toUpperCase(), repo: "REPO" })
    const repository = yield* repositories.link(again)
    const shown = yield* seen(home.account, home, change)
    const expected = expectedView({ ...home, repository }, change)
    assert.deepStrictEqual(found(plainView, shown.id), expected)
    assert.deepStrictEqual(found(plainView, shown.latest), expected)
    assertFound(plainReserved, shown.token, { ...change, repository })
    assertFound(plainBuild, buildIn(shown.slot), change.build)
  })

  it.effect("an account that links the repository next doesn't see the earlier builds", function* () {
    const repositories = yield* RepositoryStore
    const home = yield* newHome
    const change = yield* newBuild(home)
    yield* repositories.unlink(home.account.id, keyOf(home.repository))
    const next = yield* newAccount
    yield* repositories.link(makeRepository(next, { owner: home.repository.owner, repo: home.repository.repo }))

    const theirs = yield* seen(next, home, change)
    assert.isTrue(Option.isNone(Option.getOrThrow(theirs.slot).build))
    assertNone(theirs.token, theirs.id, theirs.latest)
    const ours = yield* seen(home.account, home, change)
    assertNone(...Object.values(ours))
  })

  it.effect("an owner with a slash isn't confused with another repository", function* () {
    const store = yield* BuildStore
    const repositories = yield* RepositoryStore
    const { account } = yield* newHome
    const owner = nameOf("group")
    const repository = yield* repositories.link(makeRepository(account, { owner: `${owner}/sub`, repo: "app" }))
    const change = yield* newBuild({ account, repository })
    assert.isTrue(Option.isNone(yield* store.loadForReserve(account.id, repositoryKey(owner, "app"), change.build)))
    const slot = yield* store.loadForReserve(account.id, repositoryKey(`${owner}/SUB`, "App"), change.build)
    const linked = Option.map(slot, (one) => one.repository)
    assertFound(plainRepository, linked, repository)
  })
}

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
      yield* concurrently(
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

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** After `wait`, one of three builds is reserved for `life`, or one of its reservations is finalized. */
const Step = Schema.Struct({
  wait: upTo(2),
  build: upTo(2),
  action: Schema.Literals(["reserve", "finalize"]),
  life: upTo(4),
  nth: upTo(2)
})

/** A build after the rules were applied, the end of its last reservation, and its reservations in order. */
interface Known {
  readonly build: Build
  readonly end: number
  readonly uploads: ReadonlyArray<BuildReservation>
}

const reserve = (home: Home, before: Known | undefined, order: number, now: number, life: number) =>
  Effect.gen(function* () {
    const end = Math.max(now + life, before?.end ?? 0)
    const fields = { id: ReservationId.make(idAt(order)), reservedAt: instant(now), expiresAt: instant(end) }
    const change = before ? reserveAgain(home, before.build, fields) : firstReserve(home, { reservation: fields })
    yield* (yield* BuildStore).commitReserve(change)
    return { build: change.build, end, uploads: [...(before?.uploads ?? []), change.reservation] }
  })

const finalize = (before: Known | undefined, nth: number, now: number) =>
  Effect.gen(function* () {
    const index = nth % (before?.uploads.length ?? 1)
    const upload = before?.uploads[index]
    if (before === undefined || upload === undefined || upload.finalizedAt !== undefined) return before
    const change = onFinalize(before.build, upload, { now: instant(now), hostedPrefix: "hosted/x/y/" })
    yield* (yield* BuildStore).commitFinalize(change)
    return { ...before, build: change.build, uploads: before.uploads.with(index, change.reservation) }
  })

const latestBuildCases = (it: Cases<BuildPorts>) => {
  it.effect("the latest build of a branch is the one that the rule chooses, at every instant", () =>
    forAll(
      Schema.Array(Step).check(Schema.isMinLength(4), Schema.isMaxLength(24)),
      Effect.fnUntraced(function* (steps) {
        const store = yield* BuildStore
        const home = yield* newHome
        const all = new Map<number, Known>()
        let now = 0
        for (const [index, { action, build, life, nth, wait }] of steps.entries()) {
          now += wait
          const before = all.get(build)
          const after =
            action === "reserve"
              ? yield* reserve(home, before, index + 1, now, life)
              : yield* finalize(before, nth, now)
          if (after !== undefined) all.set(build, after)
        }

        const builds = [...all.values()].map((known) => known.build)
        const uploads = [...all.values()].flatMap((known) => known.uploads)
        for (let at = 0; at <= now + 5; at++) {
          const build = latestBuild(builds, instant(at))
          const reservation = uploads.find((one) => one.id === build?.currentUpload)
          assert.deepStrictEqual(
            found(
              plainView,
              yield* store.findLatest(home.account.id, keyOf(home.repository), "main", "ios", instant(at))
            ),
            build && reservation && expectedView(home, { build, reservation }),
            `the latest at ${at}`
          )
        }
      }),
      { runs: 50, size: 100 }
    )
  )

  it.effect(
    "a build that is reserved again is the latest until that reservation ends, and then has its earlier rank",
    function* () {
      const store = yield* BuildStore
      const home = yield* newHome
      const earlier = yield* finalize(yield* reserve(home, undefined, 1, 0, 1), 0, 0)
      const later = yield* finalize(yield* reserve(home, undefined, 2, 0, 1), 0, 0)
      const again = yield* reserve(home, earlier, 3, 5, 5)
      for (const [at, expected] of [
        [9, again.build],
        [10, later?.build]
      ] as const) {
        const latest = yield* store.findLatest(home.account.id, keyOf(home.repository), "main", "ios", instant(at))
        const build = found((view) => plainBuild(view.build), latest)
        assert.deepStrictEqual(build, expected && plainBuild(expected))
      }
    }
  )

  it.effect("the latest build is found by the time that is given and not by the engine's clock", function* () {
    const store = yield* BuildStore
    for (const at of epochs) {
      const home = yield* newHome
      const times = { reservedAt: at, expiresAt: after(at, 10) }
      const change = yield* newBuild(home, { reservation: times })
      for (const [now, expected] of [
        [after(at, -600_000), change],
        [after(at, 9), change],
        [after(at, 10), undefined],
        [after(at, 600_000), undefined]
      ] as const) {
        const latest = yield* store.findLatest(home.account.id, keyOf(home.repository), "main", "ios", now)
        assert.deepStrictEqual(found(plainView, latest), expected && expectedView(home, expected))
      }
    }
  })

  it.effect("a branch has its own latest build on each platform and in each repository", function* () {
    const store = yield* BuildStore
    const homes = [yield* newHome, yield* newHome]
    const lines = homes.flatMap((home) =>
      (["ios", "android"] as const).flatMap((platform) =>
        ["main", "Main", "main/2"].map((branch) => ({ home, platform, branch }))
      )
    )
    const changes = yield* Effect.forEach(lines, ({ branch, home, platform }, index) =>
      newBuild(home, { build: { branch, platform }, reservation: { id: ReservationId.make(idAt(index)) } })
    )
    const latest = (home: Home, branch: string, platform: Platform) =>
      store.findLatest(home.account.id, keyOf(home.repository), branch, platform, instant(4))
    for (const [index, { branch, home, platform }] of lines.entries()) {
      const change = changes[index]
      const view = found(plainView, yield* latest(home, branch, platform))
      assert.deepStrictEqual(view, change && expectedView(home, change))
    }
    for (const home of homes) assert.isUndefined(found(plainView, yield* latest(home, "other", "ios")))
  })

  it.effect("apps have builds of their own of one commit; the latest is that of an app, or of all", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const identity = makeIdentity()
    const [plain, rider, driver] = yield* Effect.forEach([undefined, "rider", "Rider"], (app, index) =>
      newBuild(home, {
        build: { ...identity, ...(app === undefined ? {} : { app }) },
        reservation: { id: ReservationId.make(idAt(index + 1)) }
      })
    )
    if (plain === undefined || rider === undefined || driver === undefined) return assert.fail("three were made")
    const key = keyOf(home.repository)
    for (const { build } of [plain, rider, driver]) {
      assert.strictEqual(
        Option.getOrThrow(buildIn(yield* store.loadForReserve(home.account.id, key, build))).id,
        build.id
      )
    }
    for (const { build } of [plain, rider]) {
      const same = firstReserve(home, {
        build: { ...build, id: newBuildId() },
        reservation: { id: ReservationId.make(idAt(9)) }
      })
      yield* assertConflict(store.commitReserve(same))
    }
    for (const [app, expected] of [
      [undefined, driver],
      ["rider", rider],
      ["Rider", driver],
      ["ride", undefined]
    ] as const) {
      const latest = yield* store.findLatest(home.account.id, key, "main", "ios", instant(4), app)
      assert.deepStrictEqual(found(plainView, latest), expected && expectedView(home, expected))
    }
    const ready = onFinalize(rider.build, rider.reservation, { now: instant(5), hostedPrefix: "hosted/x/y/" })
    yield* store.commitFinalize(ready)
    for (const [app, expected] of [
      [undefined, ready],
      ["rider", ready],
      ["Rider", undefined]
    ] as const) {
      const latest = yield* store.findLatest(home.account.id, key, "main", "ios", instant(1e9), app)
      assert.deepStrictEqual(found(plainView, latest), expected && expectedView(home, expected))
    }
  })
}
