import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { it } from "../../../core/testing/layer.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerMetadata } from "../../memory/index.ts"
import { Faults, faulty } from "./injectFaults.ts"
import { makeAccount } from "./samples.ts"

const bytes = new Uint8Array([1, 2, 3, 4, 5])

/** A store of one object, sent in pieces, that counts how many of its readers have ended. */
const oneObject = Effect.sync(() => {
  let done = 0
  const stream = Stream.make(bytes.subarray(0, 1), bytes.subarray(1, 4), bytes.subarray(4)).pipe(Stream.rechunk(1))
  const unused = Effect.die("not asked for")
  return ObjectStore.of({
    check: Effect.void,
    largestPut: 7,
    presignPuts: () => unused,
    presignGet: () => unused,
    promote: () => unused,
    list: () => Effect.sync(() => [{ key: "done", sizeBytes: done }]),
    scan: () => Stream.die("not asked for"),
    read: () =>
      Effect.succeed({
        sizeBytes: 5,
        offset: 0,
        length: 5,
        contentType: "text/plain",
        stream: Stream.ensuring(
          stream,
          Effect.sync(() => (done += 1))
        )
      }),
    remove: () => Effect.fail(Unavailable.default)
  })
})

const adapter = Layer.merge(layerMetadata, Layer.effect(ObjectStore, oneObject))

describe("a faulty store", () => {
  it.effect("fails a call before it does anything or after it has done everything", () =>
    Effect.gen(function* () {
      const store = yield* AccountStore
      const faults = yield* Faults
      for (const fault of ["before", "after"] as const) {
        const account = makeAccount()
        const { answer, calls } = yield* faults.during(() => fault)(Effect.flip(store.insert(account)))
        assert.strictEqual(answer, Unavailable.default)
        assert.deepStrictEqual(calls, [{ method: "AccountStore.insert", nth: 0 }])
        assert.strictEqual(Option.isSome(yield* store.findByName(account.name)), fault === "after")
      }
    }).pipe(Effect.provide(faulty(adapter)))
  )

  it.effect("reports each call that failed without a plan", () =>
    Effect.gen(function* () {
      const store = yield* ObjectStore
      const faults = yield* Faults
      const { unplanned } = yield* faults.during(() => undefined)(Effect.flip(store.remove([])))
      assert.deepStrictEqual(unplanned, ["ObjectStore.remove failed by itself, see the log"])
      const planned = yield* faults.during(() => "before")(Effect.flip(store.remove([])))
      assert.deepStrictEqual(planned.unplanned, [])
    }).pipe(Effect.provide(faulty(adapter)))
  )

  it.effect("fails only at the planned calls, which are counted again for each plan", () =>
    Effect.gen(function* () {
      const store = yield* AccountStore
      const faults = yield* Faults
      for (let round = 0; round < 2; round++) {
        const { answer, calls } = yield* faults.during(({ nth }) => (nth === 1 ? "before" : undefined))(
          Effect.forEach([Effect.asVoid(store.list), Effect.asVoid(store.list), Effect.void], Effect.result)
        )
        assert.deepStrictEqual(
          answer.map(({ _tag }) => _tag),
          ["Success", "Failure", "Success"]
        )
        assert.deepStrictEqual(
          calls.map(({ method }) => method),
          ["AccountStore.list", "AccountStore.list"]
        )
      }
      assert.deepStrictEqual(yield* store.list, [])
    }).pipe(Effect.provide(faulty(adapter)))
  )

  it.effect("lets other calls overtake a late one", () =>
    Effect.gen(function* () {
      const store = yield* AccountStore
      const { answer } = yield* (yield* Faults).during(({ nth }) => (nth === 0 ? "late" : undefined))(
        Effect.all([store.list, store.insert(makeAccount())], { concurrency: "unbounded" })
      )
      assert.strictEqual(answer[0].length, 1)
    }).pipe(Effect.provide(faulty(adapter)))
  )

  it.effect("breaks a stream off in the middle and closes it", () =>
    Effect.gen(function* () {
      const store = yield* ObjectStore
      const seen: Array<number> = []
      const reading = Effect.flatMap(store.read("key"), ({ stream }) =>
        Stream.runForEach(stream, (chunk) => Effect.sync(() => seen.push(...chunk)))
      )
      const { answer } = yield* (yield* Faults).during(() => "midStream")(Effect.flip(reading))
      assert.strictEqual(answer, Unavailable.default)
      assert.deepStrictEqual(seen, [1, 2])
      assert.deepStrictEqual(yield* store.list("/"), [{ key: "done", sizeBytes: 1 }])
      yield* reading
      assert.deepStrictEqual(seen, [1, 2, ...bytes])
    }).pipe(Effect.scoped, Effect.provide(faulty(adapter)))
  )

  it.effect("behaves otherwise like the store that it wraps, and adds no port", function* () {
    const context = yield* Layer.build(faulty(Layer.effect(ObjectStore, oneObject)))
    assert.strictEqual(Context.get(context, ObjectStore).largestPut, 7)
    assert.isTrue(Option.isNone(Context.getOption(context, AccountStore)))
  })
})
