/** PUTs of several accounts to the host's own URLs: an account with many of them doesn't keep another one from storing its own. */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Stream } from "effect"
import * as memory from "../../adapters/memory/index.ts"
import { ObjectSink } from "../../adapters/signed-urls/SignedUrls.ts"
import { routes } from "../../adapters/signed-urls/routes.ts"
import { inMemory } from "./testing/engines.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { bundle, put, reserve, declaredFiles, latest, post, reserveBody } from "./testing/uploads.ts"
import { aWhile, eventually } from "./testing/watched.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { refusal } from "./testing/refusals.ts"

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

// A declared size larger than one PUT to the object store is refused, whatever the limits are.

const largestPut = 5 * 1024 ** 3

const bounded = Layer.effect(
  ObjectStore,
  Effect.map(ObjectStore, (store) => ObjectStore.of({ ...store, largestPut }))
)

const enginesWithLargestPut = {
  metadata: "memory",
  objects: "memory with a largest PUT",
  ports: Layer.provideMerge(bounded, memory.layer),
  routes: memory.routes
}

const tenTerabytes = 10 * 1024 ** 4
const limits = { bundleBytes: tenTerabytes, fileBytes: tenTerabytes, totalBytes: tenTerabytes, files: 1, recordings: 1 }

layer(TestHost.layer(enginesWithLargestPut, { limits }))("a store with a largest PUT", (it) => {
  it.effect(
    "a size over it is payload_too_large and names the field; one of exactly that size is reserved",
    function* () {
      const account = yield* newAccount()
      const declare = (bundleSizeBytes: number, sizeBytes: number) =>
        post(account, reserveBody(account, { bundleSizeBytes, files: [{ ...declaredFiles[1], sizeBytes }] }))
      const problem = yield* refusal(yield* declare(largestPut + 1, largestPut + 2), 413, "payload_too_large")
      assert.strictEqual(problem._tag, "PayloadTooLarge")
      if (problem._tag !== "PayloadTooLarge") return
      assert.deepStrictEqual(problem.issues, [
        { path: "bundleSizeBytes", message: `must be at most ${largestPut} bytes, not ${largestPut + 1}` },
        { path: "files.0.sizeBytes", message: `must be at most ${largestPut} bytes, not ${largestPut + 2}` }
      ])
      assert.strictEqual((yield* latest(account)).status, 404)
      assert.strictEqual((yield* declare(largestPut, largestPut)).status, 201)
    }
  )
})

// Presigned URLs that the host itself serves: a refused request gets a problem like any other.

layer(TestHost.layer(inMemory))("presigned URLs of the host", (it) => {
  it.effect("a PUT to a URL that nobody signed is url_refused", function* () {
    const host = yield* TestHost
    const answer = yield* host.call("PUT", "/objects/uploads/x/bundle?signature=x", { raw: bundle })
    yield* refusal(answer, 403, "url_refused")
  })
})
