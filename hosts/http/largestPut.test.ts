/** A declared size larger than one PUT to the object store is refused, whatever the limits are. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import * as memory from "../../adapters/memory/index.ts"
import { layer } from "../../core/testing/layer.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { declaredFiles, latest, post, reserveBody } from "./testing/uploads.ts"

const largestPut = 5 * 1024 ** 3

const bounded = Layer.effect(
  ObjectStore,
  Effect.map(ObjectStore, (store) => ObjectStore.of({ ...store, largestPut }))
)

const engines = {
  metadata: "memory",
  objects: "memory with a largest PUT",
  ports: Layer.provideMerge(bounded, memory.layer),
  routes: memory.routes
}

const tenTerabytes = 10 * 1024 ** 4
const limits = { bundleBytes: tenTerabytes, fileBytes: tenTerabytes, totalBytes: tenTerabytes, files: 1, recordings: 1 }

layer(TestHost.layer(engines, { limits }))("a store with a largest PUT", (it) => {
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
