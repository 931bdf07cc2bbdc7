import { assert } from "@effect/vitest"
import { Effect, Option, Result, Stream } from "effect"
import type { BuildId, BuildIdentity } from "../../../core/model/Build.ts"
import { sumSwept, type SweepPosition, type Swept } from "../../../core/model/Sweep.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { ObjectDeletionStore } from "../../../core/ports/ObjectDeletionStore.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { ObjectDeletions } from "../../../core/service/ObjectDeletions.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { Sweeps } from "../../../core/service/Sweeps.ts"
import type { Faults } from "../parts/injectFaults.ts"
import { idAt, makeIdentity } from "../parts/samples.ts"
import { type Cases, offBy } from "../parts/suite.ts"
import { newPreview } from "./uploads.ts"
import {
  buildOf,
  type Content,
  delayEachCall,
  failEachCall,
  hostedByBuild,
  hostedByPreview,
  newContent,
  newTeam,
  type ServicePorts,
  type Services,
  storedKeys,
  type Team,
  uploadedBuild
} from "./world.ts"

/** Sweeps when no URL and no finalize can store anything any more. */
const sweepLater = ObjectDeletions.use((removals) => removals.sweep(100)).pipe(offBy("25 hours"))

/** Stores a copy of an object below each prefix that is to be removed. */
const storeLate = Effect.fnUntraced(function* (object = "") {
  const store = yield* ObjectStore
  for (const { prefix } of yield* (yield* ObjectDeletionStore).list({ limit: 10 })) {
    yield* store.promote(object, `${prefix}late/bundle`)
  }
})

const assertNothingStored = Effect.gen(function* () {
  yield* sweepLater
  assert.deepStrictEqual(yield* storedKeys, [])
  assert.deepStrictEqual(yield* (yield* ObjectDeletionStore).list({ limit: 10 }), [])
})

/** A team with a ready build, which has a second upload under way. */
const twiceUploaded = Effect.gen(function* () {
  const team = yield* newTeam
  const first = yield* uploadedBuild(team, newContent("first"))
  yield* Builds.use((builds) => builds.finalize(team.caller, first.token))
  const second = yield* uploadedBuild(team, newContent("second"), first.identity)
  return { team, first, second }
})

const deleteBuild = ({ caller }: Team, id: BuildId) => Builds.use((builds) => builds.delete(caller, id))

const isThere = ({ caller }: Team, id: BuildId) =>
  Effect.map(Effect.result(Builds.use((builds) => builds.read(caller, id))), Result.isSuccess)

export const deletionServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a build is deleted whole or not at all, and its bytes go", () =>
    failEachCall(
      twiceUploaded,
      ({ first, team }) => deleteBuild(team, first.id),
      function* ({ first, second, team }, result) {
        const builds = yield* Builds
        if (yield* isThere(team, first.id)) {
          assert.isTrue(Result.isFailure(result), "deleted, and there")
          assert.deepStrictEqual(yield* hostedByBuild(team.caller, first.id), first.content)
          yield* builds.finalize(team.caller, second.token)
          yield* deleteBuild(team, first.id)
        }
        assert.strictEqual((yield* Effect.flip(deleteBuild(team, first.id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(builds.finalize(team.caller, second.token)))._tag, "NotFound")
        yield* ObjectDeletions.use((removals) => removals.sweep(100))
        // Removals that the deletion has begun are put off.
        assert.isAtMost((yield* storedKeys).length, Result.isSuccess(result) ? 6 : 0)
        yield* assertNothingStored
      }
    )
  )

  it.effect("whichever call fails, a preview is deleted whole or not at all, and its bytes and links go", () =>
    failEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        const upload = yield* newPreview(team)
        const { shareId } = upload
        yield* Previews.use((previews) => previews.finalize(team.caller, upload.token))
        const { secret } = yield* ShareLinks.use((links) => links.create(team.caller, { preview: shareId }))
        return { team, upload, shareId, secret }
      }),
      ({ shareId, team }) => Previews.use((previews) => previews.delete(team.caller, shareId)),
      function* ({ secret, shareId, team, upload }, result) {
        const [previews, links] = [yield* Previews, yield* ShareLinks]
        const found = Result.isSuccess(yield* Effect.result(previews.read(team.caller, shareId)))
        const opened = Result.isSuccess(yield* Effect.result(links.open(secret)))
        assert.strictEqual(opened, found, "the link opens while the preview is there")
        if (found) {
          assert.isTrue(Result.isFailure(result), "deleted, and there")
          assert.deepStrictEqual(yield* hostedByPreview(team.caller, shareId), upload.content)
          yield* previews.delete(team.caller, shareId)
        }
        assert.strictEqual((yield* Effect.flip(previews.delete(team.caller, shareId)))._tag, "NotFound")
        yield* assertNothingStored
      }
    )
  )

  it.effect("whichever call fails, a sweep leaves nothing of what was deleted, and everything else", () =>
    failEachCall(
      Effect.gen(function* () {
        const { first, team } = yield* twiceUploaded
        const kept = yield* uploadedBuild(team, newContent("kept"))
        yield* Builds.use((builds) => builds.finalize(team.caller, kept.token))
        yield* deleteBuild(team, first.id)
        const all = yield* storedKeys
        yield* storeLate(all[0])
        return { all, team, kept }
      }),
      () => sweepLater,
      function* ({ all, kept, team }) {
        yield* sweepLater.pipe(offBy("26 hours"))
        assert.deepStrictEqual(yield* (yield* ObjectDeletionStore).list({ limit: 10 }), [])
        assert.sameMembers(yield* storedKeys, all)
        assert.deepStrictEqual(yield* hostedByBuild(team.caller, kept.id), kept.content)
      }
    )
  )

  it.effect("whichever call is late, a build that is finalized while it is deleted is deleted with its bytes", () =>
    delayEachCall(
      twiceUploaded,
      ({ first, second, team }) =>
        Effect.all(
          [
            Effect.result(Builds.use((builds) => builds.finalize(team.caller, second.token))),
            deleteBuild(team, first.id)
          ],
          { concurrency: "unbounded" }
        ),
      function* ({ first, second, team }, result) {
        if (Result.isFailure(result)) return assert.fail("it was not deleted")
        const [finalized] = result.success
        if (Result.isFailure(finalized)) assert.strictEqual(finalized.failure._tag, "NotFound")
        assert.isFalse(yield* isThere(team, first.id))
        const again = Builds.use((builds) => builds.finalize(team.caller, second.token))
        assert.strictEqual((yield* Effect.flip(again))._tag, "NotFound")
        yield* assertNothingStored
      }
    )
  )

  it.effect("a read that is open when its build is deleted continues to the end", function* () {
    const team = yield* newTeam
    const upload = yield* uploadedBuild(team, newContent("open"))
    const builds = yield* Builds
    yield* builds.finalize(team.caller, upload.token)
    const bytes = yield* Effect.scoped(
      Effect.gen(function* () {
        const { stream } = yield* builds.open(team.caller, upload.id)
        yield* deleteBuild(team, upload.id)
        return yield* Stream.mkUint8Array(stream)
      })
    )
    assert.deepStrictEqual(bytes, upload.content[0])
    assert.strictEqual((yield* Effect.flip(Effect.scoped(builds.open(team.caller, upload.id))))._tag, "NotFound")
    assert.deepStrictEqual(yield* storedKeys, [])
  })

  it.effect("what was stored below a deleted prefix afterwards is removed when nothing can be any more", function* () {
    const { first, team } = yield* twiceUploaded
    const store = yield* ObjectStore
    const removals = yield* ObjectDeletions
    const [any = ""] = yield* storedKeys
    const kept = "hosted/kept/1/bundle"
    yield* store.promote(any, kept)
    yield* deleteBuild(team, first.id)
    assert.deepStrictEqual(yield* storedKeys, [kept])
    yield* storeLate(kept)
    assert.deepStrictEqual(yield* removals.sweep(10), { claimed: 0, completed: 0, objects: 0, bytes: 0 })
    const swept = yield* sweepLater
    assert.deepStrictEqual([swept.claimed, swept.completed, swept.objects], [4, 4, 4])
    assert.deepStrictEqual(yield* storedKeys, [kept])
  })
}

/** A whole sweep, or the rest of one; what it took. */
const sweepFrom = Effect.fnUntraced(function* (first?: SweepPosition) {
  const sweeps = yield* Sweeps
  const swept: Array<Swept> = []
  let from = first
  do {
    const step = yield* sweeps.step({ dryRun: false, from })
    swept.push(...step.swept)
    from = step.next
  } while (from !== undefined)
  return sumSwept(swept)
})
const sweep = sweepFrom()

/** So long ago that what ended then goes. Engines have clocks of their own, so the past is made rather than the future. */
const long = "-26 hours"
const longAgo = () => idAt(Date.now() - 26 * 3_600_000)

/**
 * An upload that was reserved long ago. Its objects are copied from another one of the same content, as its own URLs are over
 * for the engine.
 */
const oldUpload = Effect.fnUntraced(function* (
  team: Team,
  { content, reservation: from }: { readonly content: Content; readonly reservation: string },
  identity: BuildIdentity
) {
  const { id, token } = yield* Builds.use((builds) =>
    builds.reserve(team.caller, buildOf(team, content, identity))
  ).pipe(offBy(long))
  const loaded = yield* BuildStore.use((store) => store.loadForDelete(team.account.id, id))
  const reservation = Option.getOrThrow(loaded).build.reservedBy
  const store = yield* ObjectStore
  for (const name of ["bundle", "files/0", "files/1"]) {
    yield* store.promote(`uploads/${from}/${name}`, `uploads/${reservation}/${name}`)
  }
  return { id, token, reservation }
})

const finalize = (team: Team, token: string) => Builds.use((builds) => builds.finalize(team.caller, token))

/** An upload that is under way. */
const liveUpload = Effect.fnUntraced(function* (team: Team) {
  const content = newContent("live")
  const upload = yield* uploadedBuild(team, content)
  const loaded = yield* BuildStore.use((store) => store.loadForDelete(team.account.id, upload.id))
  return { ...upload, reservation: Option.getOrThrow(loaded).build.reservedBy }
})

/** Everything that a sweep takes, and beside each what it must not touch. */
const world = Effect.gen(function* () {
  const team = yield* newTeam
  const store = yield* ObjectStore
  const live = yield* liveUpload(team)
  const [shown, never] = [makeIdentity(), makeIdentity()]
  const superseded = yield* oldUpload(team, live, shown)
  yield* finalize(team, superseded.token).pipe(offBy(long))
  const ready = yield* oldUpload(team, live, shown)
  yield* finalize(team, ready.token).pipe(offBy(long))
  const abandoned = [yield* oldUpload(team, live, shown), yield* oldUpload(team, live, never)]
  const [old, young] = [longAgo(), idAt(Date.now())]
  const source = `uploads/${live.reservation}/bundle`
  const beside = `hosted/${live.reservation}/attempt/bundle`
  for (const key of [
    `uploads/${old}/bundle`,
    `hosted/${old}/1/bundle`,
    `hosted/${ready.reservation}/lost/bundle`,
    beside
  ])
    yield* store.promote(source, key)
  yield* store.promote(source, `uploads/${young}/bundle`)
  const reservations = new Set([live, superseded, ready, ...abandoned].map(({ reservation }) => String(reservation)))
  /** The reservations that have objects, with the number of these. */
  const stored = Effect.map(storedKeys, (keys) => {
    const all = keys
      .map((key) => key.split("/")[1] ?? "")
      .filter((id) => reservations.has(id) || [old, young].includes(id))
    return all.reduce<Record<string, number>>((counts, id) => ({ ...counts, [id]: (counts[id] ?? 0) + 1 }), {})
  })
  return { team, live, superseded, ready, abandoned, never, young, beside, stored }
})
type World = Effect.Success<typeof world>

/** Asserts that after one more sweep all garbage is deleted, and nothing else. */
const assertSwept = Effect.fnUntraced(function* ({ beside, live, ready, stored, superseded, team, young }: World) {
  const store = yield* ObjectStore
  // Removals that failed are put off for minutes.
  yield* sweep.pipe(offBy("30 minutes"))
  // What is ready shares two objects with what it superseded; the third was declared without a digest.
  const shared = { [superseded.reservation]: 2, [ready.reservation]: 1 }
  assert.deepStrictEqual(yield* stored, { [live.reservation]: 4, ...shared, [young]: 1 })
  yield* store.remove([beside, `uploads/${young}/bundle`])
  assert.deepStrictEqual(yield* hostedByBuild(team.caller, ready.id), live.content)
  yield* finalize(team, live.token)
  assert.deepStrictEqual(yield* hostedByBuild(team.caller, live.id), live.content)
})

export const sweepServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a sweep expires each resource whole or not at all, and the next one the rest", () =>
    failEachCall(
      world,
      () => sweep,
      function* (made) {
        yield* assertSwept(made)
        // The next sweep looks through all objects, so each would take longer than the one before.
        const store = yield* ObjectStore
        yield* store.remove(yield* storedKeys)
      }
    )
  )

  it.effect("whichever call is late, an upload that is finalized while it is swept is there whole, or not at all", () =>
    delayEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        const live = yield* liveUpload(team)
        return { team, live, upload: yield* oldUpload(team, live, makeIdentity()) }
      }),
      // By the clock of the host that finalizes, the reservation is alive.
      ({ team, upload }) =>
        Effect.all([Effect.result(finalize(team, upload.token).pipe(offBy(long))), sweep], {
          concurrency: "unbounded"
        }),
      function* ({ live, team, upload }, result) {
        if (Result.isFailure(result)) return assert.fail("the sweep failed")
        const [finalized] = result.success
        yield* sweep.pipe(offBy("2 hours"))
        const left = (yield* storedKeys).filter((key) => key.split("/")[1] === upload.reservation)
        if (Result.isSuccess(finalized)) {
          assert.deepStrictEqual(yield* hostedByBuild(team.caller, upload.id), live.content)
          assert.lengthOf(left, 3)
        } else {
          assert.strictEqual(finalized.failure._tag, "NotFound")
          assert.deepStrictEqual(left, [])
        }
        yield* finalize(team, live.token)
      }
    )
  )

  it.effect("sweeps of several hosts at the same time expire each resource once", function* () {
    const made = yield* world
    const swept = (yield* Effect.all([sweep, sweep, sweep], { concurrency: "unbounded" })).flat()
    const count = (rule: Swept["rule"]) =>
      swept.filter((one) => one.rule === rule).reduce((sum, one) => sum + one.count, 0)
    assert.deepStrictEqual(
      [count("abandoned_builds"), count("abandoned_uploads"), count("superseded_uploads")],
      [1, 1, 1]
    )
    yield* assertSwept(made)
  })

  it.effect("a read that is open when its upload is swept continues to the end", function* () {
    const team = yield* newTeam
    const live = yield* liveUpload(team)
    const identity = makeIdentity()
    const first = yield* oldUpload(team, live, identity)
    yield* finalize(team, first.token).pipe(offBy(long))
    const second = yield* oldUpload(team, live, identity)
    const bytes = yield* Effect.scoped(
      Effect.gen(function* () {
        const { stream } = yield* Builds.use((builds) => builds.open(team.caller, first.id))
        yield* finalize(team, second.token).pipe(offBy(long))
        assert.deepInclude(yield* sweep, { rule: "superseded_uploads", count: 1, bytes: sizeOf(live.content) })
        yield* Builds.use((builds) => builds.delete(team.caller, second.id))
        assert.deepStrictEqual(
          (yield* storedKeys).filter((key) => key.includes(first.reservation)),
          []
        )
        return yield* Stream.mkUint8Array(stream)
      })
    )
    assert.deepStrictEqual(bytes, live.content[0])
  })

  it.effect("orphaned objects are found from any position at which an earlier search stopped", function* () {
    const team = yield* newTeam
    const live = yield* liveUpload(team)
    const store = yield* ObjectStore
    const [old, young] = [longAgo(), idAt(Date.now())]
    const names = Array.from({ length: 1050 }, (_, index) => `files/${index}`)
    const source = `uploads/${live.reservation}/bundle`
    const fill = Effect.forEach(names, (name) => store.promote(source, `uploads/${old}/${name}`), { concurrency: 16 })
    yield* store.promote(source, `hosted/${old}/1/bundle`)
    yield* store.promote(source, `uploads/${young}/bundle`)
    yield* fill
    const sweeps = yield* Sweeps
    let from: SweepPosition | undefined
    let searched = 0
    do {
      const step = yield* sweeps.step({ dryRun: false, from })
      from = step.next
      if (from?.job !== "collect_garbage") continue
      // What comes back after the position is found by the host that continues there, what comes back before it by the next search.
      searched += 1
      yield* fill
      yield* sweepFrom(from)
    } while (from !== undefined)
    assert.isAtLeast(searched, 2)
    yield* sweep
    const left = new Set((yield* storedKeys).map((key) => key.split("/")[1]))
    assert.deepStrictEqual(left, new Set([live.reservation, young]))
  })
}

const sizeOf = (content: Content): number => content.reduce((sum, { byteLength }) => sum + byteLength, 0)
