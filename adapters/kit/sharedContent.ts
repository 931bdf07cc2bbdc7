import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { ObjectKey, type HostedObject } from "../../core/model/HostedObject.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { Conflict } from "../../core/ports/WriteFailure.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../core/ports/RemovalStore.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { monthOf } from "../../core/rules/limits.ts"
import { hostedRoot } from "../../core/rules/reservations.ts"
import { newBuild, newHome, type Home } from "./parts/buildPorts.ts"
import { findHosted, removalOf, type DeletionPorts } from "./parts/deletionPorts.ts"
import { assertConflict, atOnce } from "./parts/racing.ts"
import { instant, makeHosted, makePreview } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

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
    const removals = [reservation, ...storedBy].map((one) => removalOf(home.account, one))
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
    RemovalStore.use((store) => store.findShared(hosted.map(({ objectKey }) => objectKey))),
    (keys) => [...keys]
  )

const used = ({ account }: Home) =>
  Effect.map(
    UsageStore.use((store) => store.find(account.id, monthOf(instant(9)), instant(9))),
    ({ used: { bytesStored, bytesPerMonth } }) => ({ bytesStored, bytesPerMonth })
  )

export const sharedContentCases = (it: Cases<DeletionPorts | UsageStore>) => {
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
        const results = yield* atOnce(round % 4 < 2 ? both : both.toReversed())
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
      yield* atOnce(uploads.map((one) => one.remove(first.reservation)))
      assert.deepStrictEqual(yield* held(shared), [])
      assert.strictEqual((yield* used(home)).bytesStored, 0)
    }
  })

  it.effect("of uploads finalized at once with the same new content, one stores it", function* () {
    const home = yield* newHome
    const uploads = yield* Effect.forEach([...kinds, ...kinds], (kind) => newUpload(home, kind))
    const content = makeHosted(home.account)
    const results = yield* atOnce(
      uploads.map((one) => one.finalize({ hosted: [{ ...content, objectKey: one.content("same").objectKey }] }))
    )
    assert.strictEqual(results.filter(Result.isSuccess).length, 1)
    for (const one of results.filter(Result.isFailure)) assert.instanceOf(one.failure, Conflict)
    assert.strictEqual((yield* used(home)).bytesStored, content.sizeBytes)
  })
}
