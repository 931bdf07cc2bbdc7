/** PUTs of several accounts to the host's own URLs: an account with many of them doesn't keep another one from storing its own. */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Stream } from "effect"
import * as memory from "../../adapters/memory/index.ts"
import { ObjectSink } from "../../adapters/signed-urls/SignedUrls.ts"
import { routes } from "../../adapters/signed-urls/routes.ts"
import { inMemory } from "./testing/engines.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { bundle, put, reserve } from "./testing/uploads.ts"
import { aWhile, eventually } from "./testing/watched.ts"

/** The content types of the pieces that have come to the host. */
const came: Array<string> = []
/** The pieces that are given to the store, each of which is stored when the test allows it. */
const given: Array<{ readonly type: string; readonly mayStore: Latch.Latch }> = []

/** Waits before each piece is stored. */
const held = Layer.effect(
  ObjectSink,
  Effect.map(ObjectSink, (sink) =>
    ObjectSink.of({
      receive: (object, bytes, digest) => {
        const type = object.contentType
        const counted = Stream.tap(bytes, () => Effect.sync(() => void came.push(type)))
        const store = Effect.suspend(() => {
          const mayStore = Latch.makeUnsafe(false)
          given.push({ type, mayStore })
          return mayStore.await
        })
        return sink.receive(
          object,
          counted,
          digest && { ...digest, passThrough: (all) => Stream.tap(digest.passThrough(all), () => store) }
        )
      }
    })
  )
).pipe(Layer.provideMerge(memory.layer))

const engines = { ...inMemory, ports: held, routes: routes.pipe(Layer.provide(held)) }

const slotOf = (bundleContentType: string) =>
  Effect.flatMap(newAccount(), (account) => reserve(account, { bundleContentType })).pipe(
    Effect.map(({ slots }) => slots.bundle)
  )

const count = (types: ReadonlyArray<string>, type: string) => types.filter((one) => one === type).length

const maxConcurrentRequests = 2

layer(TestHost.layer(engines, { maxConcurrentRequests }))("uploads of several accounts", (it) => {
  it.effect("are stored beside each other, however many of one account wait", function* () {
    const [busy, other] = [yield* slotOf("text/busy"), yield* slotOf("text/other")]
    const many = yield* Effect.forkChild(Effect.replicateEffect(put(busy, bundle), 20, { concurrency: "unbounded" }))
    yield* eventually(() => given.length === maxConcurrentRequests)
    yield* aWhile
    assert.strictEqual(given.length, maxConcurrentRequests, "the others of the busy account wait")

    const late = yield* Effect.forkChild(put(other, bundle))
    yield* eventually(() => count(came, "text/other") === 1)
    yield* eventually(() => given.length === maxConcurrentRequests + 1)
    assert.strictEqual(given.at(-1)?.type, "text/other")

    const storing = yield* Effect.forkChild(
      Effect.forever(
        Effect.andThen(
          Effect.suspend(() => Effect.forEach(given, ({ mayStore }) => mayStore.open)),
          aWhile
        )
      )
    )
    const answers = [...(yield* Fiber.join(many)), yield* Fiber.join(late)]
    yield* Fiber.interrupt(storing)
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200)
    )
  })
})
