import { assert } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import type { Build, BuildReservation, Platform } from "../../core/model/Build.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { latestBuild, onFinalize } from "../../core/rules/builds.ts"
import {
  buildIn,
  expectedView,
  firstReserve,
  keyOf,
  newBuild,
  newHome,
  plainView,
  reserveAgain,
  type BuildPorts,
  type Home
} from "./parts/buildPorts.ts"
import { forAll } from "./parts/forAll.ts"
import { assertConflict } from "./parts/racing.ts"
import { found, plainBuild } from "./parts/plain.ts"
import { after, epochs, idAt, instant, makeIdentity, newBuildId } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

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

export const latestBuildCases = (it: Cases<BuildPorts>) => {
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
