/** PUTs through live URLs at each step of a finalize never change what was verified. */
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Ref, Stream } from "effect"
import { layer } from "../../core/testing/layer.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { Previews } from "../../core/service/Previews.ts"
import { sendAttack } from "./testing/attacks.ts"
import { hasS3, layerNewPrefix } from "./testing/server.ts"
import {
  digests,
  hostedDigests,
  layerPorts,
  layerService,
  newCaller,
  putAll,
  reserve,
  type Content
} from "./testing/uploads.ts"

/** The steps of a finalize at which a PUT can race it, in order. */
const steps = [
  "before an object is promoted",
  "between promotion and listing",
  "between listing and reading",
  "while what was promoted is open",
  "while the store is asked for a digest",
  "between reading and commit",
  "between commit and removal of what was staged"
] as const
type Step = (typeof steps)[number]

/** What happens each time that a finalize reaches a step. */
class Race extends Context.Service<Race, Ref.Ref<(step: Step) => Effect.Effect<void>>>()(
  "slipway/adapters/s3/racingPut.test/Race"
) {}

/** The ports, whose calls run the race at their steps. */
const layerRaced = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* ObjectStore
    const previews = yield* PreviewStore
    const race = yield* Race
    const at = (step: Step) => Effect.flatMap(Ref.get(race), (run) => run(step))
    const raced = ObjectStore.of({
      ...store,
      promote: (from, to) => Effect.andThen(at("before an object is promoted"), store.promote(from, to)),
      list: (prefix) => Effect.andThen(at("between promotion and listing"), store.list(prefix)),
      // So one object is read and the others are examined.
      examine: (key) =>
        key.endsWith("/bundle")
          ? Effect.undefined
          : Effect.andThen(at("while the store is asked for a digest"), store.examine?.(key) ?? Effect.undefined),
      read: (key, range) =>
        at("between listing and reading").pipe(
          Effect.andThen(store.read(key, range)),
          Effect.map((object) => ({
            ...object,
            stream: Stream.concat(Stream.fromEffectDrain(at("while what was promoted is open")), object.stream)
          }))
        ),
      remove: (keys) => Effect.andThen(at("between commit and removal of what was staged"), store.remove(keys))
    })
    const committed = PreviewStore.of({
      ...previews,
      commitFinalize: (change) => Effect.andThen(at("between reading and commit"), previews.commitFinalize(change))
    })
    return Context.make(ObjectStore, raced).pipe(Context.add(PreviewStore, committed))
  })
)

const nobody = () => Effect.void

const live = layerService(Layer.provideMerge(layerRaced, layerPorts(layerNewPrefix))).pipe(
  Layer.provideMerge(Layer.effect(Race, Ref.make<(step: Step) => Effect.Effect<void>>(nobody)))
)

const filled = (byte: number, digest: boolean): Content => ({ bytes: new Uint8Array(300_000).fill(byte), digest })

const bundle = filled(1, true)
const files = [filled(2, true), filled(3, false)]
const right = [bundle, ...files]
/** Bytes that differ from {@link right} and have the same lengths and types, so the URLs accept them. */
const other = right.map(({ digest }, index) => filled(101 + index, digest))
const bytesOf = (contents: ReadonlyArray<Content>) => contents.map(({ bytes }) => bytes)

/** A preview that was reserved and uploaded, and the race of the layer. */
const uploaded = Effect.gen(function* () {
  const caller = yield* newCaller
  const ticket = yield* reserve(caller, bundle, files)
  yield* putAll(ticket, bytesOf(right))
  return {
    race: yield* Race,
    caller,
    ticket,
    overwrite: Effect.orDie(putAll(ticket, bytesOf(other))),
    finalize: (yield* Previews).finalize(caller, ticket.token),
    hosted: hostedDigests(caller, ticket, files.length)
  }
})

describe.skipIf(!hasS3)("on S3", () => {
  layer(live, { excludeTestServices: true })("a PUT through a live URL", (it) => {
    it.effect(`${steps[0]} is verified: it is refused, and the right bytes fix it`, function* () {
      const { caller, finalize, hosted, overwrite, race, ticket } = yield* uploaded
      yield* Ref.set(race, (step) => (step === steps[0] ? overwrite : Effect.void))
      const problem = yield* Effect.flip(finalize)
      yield* Ref.set(race, nobody)
      assert.deepStrictEqual(
        problem._tag === "UploadIncomplete" ? problem.objects.map(({ objectKey, reason }) => [objectKey, reason]) : [],
        [ticket.slots.bundle, ticket.slots.files[0]!].map(({ objectKey }) => [objectKey, "digest_mismatch"])
      )
      assert.isUndefined((yield* (yield* Previews).read(caller, ticket.shareId)).finalizedAt)
      yield* putAll(ticket, bytesOf(right))
      yield* finalize
      assert.deepStrictEqual(yield* hosted, digests(right))
    })

    it.effect.each(steps.slice(1))("%s doesn't change what is verified and hosted", function* (raced) {
      const { finalize, hosted, overwrite, race } = yield* uploaded
      let times = 0
      yield* Ref.set(race, (step) => {
        if (step !== raced) return Effect.void
        times += 1
        return overwrite
      })
      const preview = yield* finalize
      yield* Ref.set(race, nobody)
      assert.isAbove(times, 0)
      assert.deepStrictEqual(yield* hosted, digests(right))
      assert.deepStrictEqual(yield* finalize, preview)
    })

    it.effect("after the finalize is accepted and changes nothing that is hosted", function* () {
      const { finalize, hosted, overwrite } = yield* uploaded
      const preview = yield* finalize
      yield* overwrite
      assert.deepStrictEqual(yield* hosted, digests(right))
      assert.deepStrictEqual(yield* finalize, preview)
      assert.deepStrictEqual(yield* hosted, digests(right))
    })

    it.effect(
      "with a header that copies another object, which Ceph 16 obeys, is verified: neither another size nor other bytes are hosted",
      function* () {
        const { caller, finalize, hosted, ticket } = yield* uploaded
        const [large, same] = [{ bytes: new Uint8Array(600_000).fill(7), digest: false }, filled(8, false)]
        const sources = yield* reserve(caller, large, [same])
        yield* putAll(sources, bytesOf([large, same]))
        const copy = (
          from: { readonly putUrl: string },
          to: { readonly putUrl: string; readonly contentType: string }
        ) =>
          Effect.promise(async () => {
            const headers = [["x-amz-copy-source", new URL(from.putUrl).pathname]] as const
            const sent = { body: new Uint8Array(300_000), contentType: to.contentType }
            assert.strictEqual(await sendAttack(to.putUrl, { name: "copy", headers, query: "" }, sent), 200)
          })
        const [declared, undeclared] = [ticket.slots.files[0]!, ticket.slots.files[1]!]
        yield* copy(sources.slots.files[0]!, declared)
        yield* copy(sources.slots.bundle, undeclared)
        const problem = yield* Effect.flip(finalize)
        assert.deepStrictEqual(
          problem._tag === "UploadIncomplete"
            ? problem.objects.map(({ objectKey, reason }) => [objectKey, reason])
            : [],
          [
            [declared.objectKey, "digest_mismatch"],
            [undeclared.objectKey, "size_mismatch"]
          ]
        )
        assert.isUndefined((yield* (yield* Previews).read(caller, ticket.shareId)).finalizedAt)
        yield* putAll(ticket, bytesOf(right))
        yield* finalize
        assert.deepStrictEqual(yield* hosted, digests(right))
      }
    )

    it.effect(
      "in an encoding whose content can't be verified is refused by the finalize, which names those that can",
      function* () {
        const { finalize, ticket } = yield* uploaded
        const { contentType, objectKey, putUrl } = ticket.slots.files[0]!
        for (const encoding of ["br", "gzip, gzip"]) {
          const encoded = { name: encoding, headers: [["content-encoding", encoding]], query: "" } as const
          const body = files[0]!.bytes
          assert.strictEqual(yield* Effect.promise(() => sendAttack(putUrl, encoded, { body, contentType })), 200)
          const problem = yield* Effect.flip(finalize)
          const [object] = problem._tag === "UploadIncomplete" ? problem.objects : []
          assert.deepInclude(object, { objectKey, reason: "digest_mismatch" })
          assert.include(object?.actual, `content encoding ${encoding}, which can't be verified: send gzip or identity`)
        }
      }
    )

    it.effect("at any time leaves a finalize that hosts what was declared or is refused", function* () {
      const { finalize, hosted, overwrite, ticket } = yield* uploaded
      const storm = yield* Effect.forkChild(Effect.forever(Effect.andThen(overwrite, putAll(ticket, bytesOf(right)))))
      const finalized = yield* finalize.pipe(
        Effect.as(true),
        Effect.catchTag("UploadIncomplete", () => Effect.succeed(false)),
        Effect.repeat({ until: (done) => done, times: 100 })
      )
      assert.isTrue(finalized, "a finalize that no PUT came in the way of")
      const [bundle, file] = yield* hosted
      assert.deepStrictEqual([bundle, file], digests(right).slice(0, 2))
      yield* Fiber.interrupt(storm)
    })
  })
})
