import { assert } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import type { BuildId } from "../../../core/model/Build.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { Removals } from "../../../core/service/Removals.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { offBy } from "../parts/clocks.ts"
import type { Faults } from "../parts/injectFaults.ts"
import type { Cases } from "../parts/suite.ts"
import { newPreview } from "./previews.ts"
import { delayEachCall, failEachCall } from "./eachCall.ts"
import {
  hostedByBuild,
  hostedByPreview,
  newContent,
  newTeam,
  storedKeys,
  uploadedBuild,
  type ServicePorts,
  type Services,
  type Team
} from "./world.ts"

/** Sweeps when no URL and no finalize can store anything any more. */
const sweepLater = Removals.use((removals) => removals.sweep(100)).pipe(offBy("25 hours"))

/** Stores a copy of an object below each prefix that is to be removed. */
const storeLate = Effect.fnUntraced(function* (object = "") {
  const store = yield* ObjectStore
  for (const { prefix } of yield* (yield* RemovalStore).list({ limit: 10 })) {
    yield* store.promote(object, `${prefix}late/bundle`)
  }
})

const assertSwept = Effect.gen(function* () {
  yield* sweepLater
  assert.deepStrictEqual(yield* storedKeys, [])
  assert.deepStrictEqual(yield* (yield* RemovalStore).list({ limit: 10 }), [])
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
        yield* Removals.use((removals) => removals.sweep(100))
        // Removals that the deletion has begun are put off.
        assert.isAtMost((yield* storedKeys).length, Result.isSuccess(result) ? 6 : 0)
        yield* assertSwept
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
        yield* assertSwept
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
        assert.deepStrictEqual(yield* (yield* RemovalStore).list({ limit: 10 }), [])
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
        yield* assertSwept
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
    const removals = yield* Removals
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
