/**
 * PUTs to the host's own URLs that are refused and leave no object: after the reservation was finalized or its key ended, with parts
 * that the URL wasn't signed for, and with content that can't be verified.
 */
import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as memory from "../../adapters/memory/index.ts"
import { attacksWith, misspelledAttacksWith, sendAttack } from "../../adapters/s3/testing/attacks.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { enginesWithOwnUrls, inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { uploadFull, finalizePreview, uploader } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { bundle, bytes, commit, finalize, put, readyBuild, reserve, sha256 } from "./testing/uploads.ts"
import { eventually, watched } from "./testing/watched.ts"

/** A PUT whose body pauses in the middle until the test continues it. */
const slowPut = ({ contentType, putUrl }: { readonly putUrl: string; readonly contentType: string }) => {
  const goOn = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bundle.slice(0, 10))
      await goOn.promise
      controller.enqueue(bundle.slice(10))
      controller.close()
    }
  })
  const answered = Effect.promise(async () => {
    const init = { method: "PUT", headers: { "content-type": contentType }, body, duplex: "half" }
    const response = await fetch(putUrl, init)
    const text = await response.text()
    const json: unknown = text === "" ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, text, json }
  })
  return { answered, goOn: Effect.sync(() => goOn.resolve()) }
}

/** Values of `Content-Encoding`: unknown ones, and several. */
const unverifiable =
  "br deflate compress zstd aws-chunked none * gzip;q=1 <script> gzip,gzip gzip,br br,gzip x-gzip,gzip identity,gzip gzip,identity gzip,".split(
    " "
  )

for (const plain of enginesWithOwnUrls()) {
  const { engines, keys, seen } = watched(plain)

  layer(TestHost.layer(engines))(`slots that are closed, on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("after finalize every PUT of the reservation is url_refused and leaves no object", function* () {
      const account = yield* uploader
      const reservation = yield* uploadFull(account)
      assert.strictEqual((yield* finalizePreview(account, reservation.token)).status, 201)
      const before = yield* keys("hosted/")
      const { bundle: slot, files, recordings } = reservation.slots
      for (const one of [slot, ...files, ...recordings]) {
        const answer = yield* put(one, bytes("x".repeat(one.sizeBytes)))
        const { detail } = yield* refusal(answer, 403, "url_refused")
        assert.strictEqual(detail, "The upload that this URL is for was finalized; reserve a new one.")
      }
      assert.deepStrictEqual(yield* keys("uploads/"), [])
      assert.deepStrictEqual(yield* keys("hosted/"), before)
    })

    it.effect("once its key is revoked or expired a PUT is url_refused and leaves no object", function* () {
      const host = yield* TestHost
      const [revoked, rotated] = [yield* newAccount(), yield* newAccount()]
      const slots = [(yield* reserve(revoked)).slots.bundle, (yield* reserve(rotated)).slots.bundle]
      yield* host.admin.revokeKey({ id: revoked.keyId })
      yield* host.admin.rotateKey({ id: rotated.keyId, overlap: Duration.minutes(1) })
      yield* TestClock.adjust("1 minute")
      for (const slot of slots) {
        const { detail } = yield* refusal(yield* put(slot, bundle), 403, "url_refused")
        assert.strictEqual(detail, "The API key that this URL was made for is revoked or has expired.")
      }
      assert.deepStrictEqual(yield* keys("uploads/"), [])
    })

    it.effect("a PUT with anything that S3 would obey is refused, and the plain PUT is hosted", function* () {
      const { call } = yield* TestHost
      const account = yield* newAccount()
      yield* readyBuild(account)
      const [source = ""] = yield* keys("hosted/")
      const [before, usage] = [yield* keys("hosted/"), yield* call("GET", "/api/v1/usage", account)]
      const other = bytes("x".repeat(bundle.byteLength))
      const { slots, token } = yield* reserve(account, { commitSha: commit(2), contentHash: sha256(other) })
      const reserved = yield* call("GET", "/api/v1/usage", account)
      const attacks = [...attacksWith(`bucket/${source}`), ...misspelledAttacksWith(`bucket/${source}`)]
      assert.isAtLeast(attacks.length, 40)
      const { contentType, putUrl } = slots.bundle
      for (const attack of attacks) {
        const status = yield* Effect.promise(() => sendAttack(putUrl, attack, { body: other, contentType }))
        assert.include([400, 403], status, attack.name)
      }
      assert.notInclude(yield* keys("uploads/"), slots.bundle.objectKey)
      assert.deepStrictEqual(yield* keys("hosted/"), before)
      assert.strictEqual((yield* call("GET", "/api/v1/usage", account)).text, reserved.text)
      assert.notStrictEqual(reserved.text, usage.text)
      assert.strictEqual((yield* put(slots.bundle, other)).status, 200)
      assert.strictEqual((yield* finalize(account, token)).status, 201)
    })

    it.effect("a PUT in an encoding whose content can't be verified is refused and names those that can", function* () {
      const account = yield* newAccount()
      const { slots, token } = yield* reserve(account)
      for (const encoding of unverifiable) {
        const problem = yield* refusal(
          yield* put(slots.bundle, bundle, { "content-encoding": encoding }),
          400,
          "invalid_request"
        )
        assert.deepNestedInclude(problem, { "issues[0].path": "content-encoding" }, encoding)
        assert.include(JSON.stringify(problem), "gzip or identity")
      }
      assert.notInclude(yield* keys("uploads/"), slots.bundle.objectKey)
      for (const encoding of ["gzip", "GZIP", "x-gzip", "identity"]) {
        const answer = yield* put(slots.bundle, bundle, { "content-encoding": encoding })
        assert.strictEqual(answer.status, 200, encoding)
      }
      assert.strictEqual((yield* finalize(account, token)).status, 201)
    })

    it.effect("what was PUT while the key was good is finalized with another key of the account", function* () {
      const host = yield* TestHost
      const account = yield* newAccount()
      const { key } = yield* host.admin.createKey({ account: account.name, name: "other", scopes: ["builds"] })
      const { slots, token } = yield* reserve(account)
      yield* put(slots.bundle, bundle)
      yield* host.admin.revokeKey({ id: account.keyId })
      yield* refusal(yield* put(slots.bundle, bundle), 403, "url_refused")
      assert.strictEqual((yield* finalize({ key }, token)).status, 201)
    })

    it.effect("a PUT that began before a finalize and ends after it is url_refused and leaves no object", function* () {
      const account = yield* newAccount()
      const { slots, token } = yield* reserve(account)
      yield* put(slots.bundle, bundle)
      const { answered, goOn } = slowPut(slots.bundle)
      const asked = seen.askedForPut
      const racing = yield* Effect.forkChild(answered)
      yield* eventually(() => seen.askedForPut > asked)
      assert.strictEqual((yield* finalize(account, token)).status, 201)
      yield* goOn
      yield* refusal(yield* Fiber.join(racing), 403, "url_refused")
      assert.deepStrictEqual(yield* keys("uploads/"), [])
    })

    it.effect(
      "a PUT that began before its key was revoked and ends after it is url_refused and leaves no object",
      function* () {
        const host = yield* TestHost
        const account = yield* newAccount()
        const { slots } = yield* reserve(account)
        const { answered, goOn } = slowPut(slots.bundle)
        const asked = seen.askedForPut
        const racing = yield* Effect.forkChild(answered)
        yield* eventually(() => seen.askedForPut > asked)
        yield* host.admin.revokeKey({ id: account.keyId })
        yield* goOn
        yield* refusal(yield* Fiber.join(racing), 403, "url_refused")
        assert.deepStrictEqual(yield* keys("uploads/"), [])
      }
    )

    it.effect("many PUTs during a finalize leave no object, in whatever order they arrive", function* () {
      const account = yield* newAccount()
      const { slots, token } = yield* reserve(account)
      yield* put(slots.bundle, bundle)
      const storm = Effect.forEach(Array.from({ length: 40 }), () => put(slots.bundle, bundle), { concurrency: 8 })
      const [answers, answer] = yield* Effect.all([storm, finalize(account, token)], { concurrency: "unbounded" })
      assert.strictEqual(answer.status, 201, answer.text)
      for (const { status, text } of answers) assert.include([200, 403], status, text)
      assert.deepStrictEqual(yield* keys("uploads/"), [])
    })
  })
}

let lookups = 0
const countingLookups = Layer.effect(
  ReservationStore,
  Effect.map(ReservationStore, (store) =>
    ReservationStore.of({
      ...store,
      findForPut: (id) =>
        Effect.andThen(
          Effect.sync(() => (lookups += 1)),
          store.findForPut(id)
        )
    })
  )
).pipe(Layer.provideMerge(memory.layer))

layer(TestHost.layer({ ...inMemory, ports: countingLookups }))("a PUT", (it) => {
  it.effect("looks its reservation up once before its bytes are read, and once after they are stored", function* () {
    const { slots } = yield* reserve(yield* newAccount())
    lookups = 0
    assert.strictEqual((yield* put(slots.bundle, bundle)).status, 200)
    assert.strictEqual(lookups, 2)
  })
})
