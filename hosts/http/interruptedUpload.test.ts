/** An upload that is interrupted is reserved again: what was sent to the first reservation needn't be sent again. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { UploadIncomplete } from "../../core/model/Problem.ts"
import type { ReserveBuildResponse } from "../../core/api/builds/responses.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { testEngines } from "./testing/engines.ts"
import { layer } from "./testing/layer.ts"
import { finalizePreview, reservePreview } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost, type Answer } from "./testing/TestHost.ts"
import { bundle, bytes, commit, finalize, post, put, reserve, reserveBody, sha256, style } from "./testing/uploads.ts"

type Slots = (typeof ReserveBuildResponse.Type)["slots"]

const account = newAccount(["builds", "preview_upload", "delete"])

const contentOf = (nth: number) => bytes(`the file of place ${nth}\n`)

const declaredUpTo = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    path: `${nth}.txt`,
    sizeBytes: contentOf(nth).byteLength,
    contentType: "text/plain",
    contentHash: sha256(contentOf(nth))
  }))

/** The indexes of the files that the answer lists as present. */
const there = ({ files }: Slots) => files.flatMap(({ uploaded }, nth) => (uploaded === true ? [nth] : []))

/** PUTs the bundle and the files of some places, unless they are there, and answers how many PUTs that were. */
const send = Effect.fnUntraced(function* ({ bundle: first, files }: Slots, places: ReadonlyArray<number>) {
  const absent = places.filter((nth) => files[nth]?.uploaded !== true)
  if (first.uploaded !== true) assert.strictEqual((yield* put(first, bundle)).status, 200)
  yield* Effect.forEach(
    absent,
    (nth) =>
      Effect.map(put(files[nth] ?? assert.fail(), contentOf(nth)), ({ status }) => assert.strictEqual(status, 200)),
    { concurrency: 8 }
  )
  return absent.length + (first.uploaded === true ? 0 : 1)
})

const range = (end: number) => Array.from({ length: end }, (_, nth) => nth)

const asIncomplete = Schema.decodeUnknownEffect(UploadIncomplete)

const incomplete = Effect.fnUntraced(function* (answer: Answer) {
  assert.strictEqual(answer.status, 409, answer.text)
  return (yield* asIncomplete(answer.json)).objects
})

const asUsage = Schema.decodeUnknownEffect(Schema.Struct({ bytesStored: Schema.Struct({ used: Schema.Finite }) }))

for (const plain of testEngines()) {
  /** What happens before the next promotion of an object that was sent. */
  let meanwhile: Effect.Effect<void> = Effect.void
  const interleaved = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) => ({
      ...store,
      promote: (from: string, to: string, contentType?: string) =>
        Effect.suspend(() => {
          const first = meanwhile
          meanwhile = Effect.void
          return Effect.andThen(first, store.promote(from, to, contentType))
        })
    }))
  )
  const engines = { ...plain, ports: Layer.provideMerge(interleaved, plain.ports) }

  layer(TestHost.layer(engines, { quotas: { bytesStored: 40_000 } }))(
    `an interrupted upload on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("that was sent 20 of 30 files is sent the other 10, and has all of them", function* () {
        const { hostedObject } = yield* TestHost
        const made = yield* account
        const files = declaredUpTo(30)
        const first = yield* reserve(made, { files })
        assert.deepStrictEqual(there(first.slots), [])
        assert.strictEqual(yield* send(first.slots, range(20)), 21)

        const second = yield* reserve(made, { files })
        assert.isTrue(second.slots.bundle.uploaded)
        assert.deepStrictEqual(there(second.slots), range(20))
        assert.strictEqual(yield* send(second.slots, range(30)), 10)
        // A preview uses what it needs of both uploads.
        const preview = yield* reservePreview(made, { files: files.toReversed() })
        assert.strictEqual(there(preview.slots).length, 30)
        const done = yield* finalize(made, second.token)
        assert.strictEqual(done.status, 201, done.text)
        assert.strictEqual((yield* finalizePreview(made, preview.token)).status, 201)
        for (const nth of [0, 9, 10, 19, 20, 29]) {
          const name = `files/${29 - nth}`
          assert.strictEqual(
            yield* hostedObject(made.key, preview.shareId, name),
            new TextDecoder().decode(contentOf(nth))
          )
        }
        assert.strictEqual((yield* finalize(made, first.token)).status, 201)
      })

      it.effect("counts once, and a quota that had room for it has room for the rest of it", function* () {
        const made = yield* account
        const large = bytes("x".repeat(30_000))
        const fields = { bundleSizeBytes: large.byteLength, contentHash: sha256(large) }
        const first = yield* reserve(made, fields)
        yield* refusal(yield* post(made, reserveBody(made, fields)), 403, "quota_exceeded")
        assert.strictEqual((yield* put(first.slots.bundle, large)).status, 200)
        const second = yield* reserve(made, fields)
        assert.isTrue(second.slots.bundle.uploaded)
        for (const { token } of [first, second]) assert.strictEqual((yield* finalize(made, token)).status, 201)
        const { call } = yield* TestHost
        const { json } = yield* call("GET", "/api/v1/usage", { key: made.key })
        const { bytesStored } = yield* asUsage(json)
        assert.isAtLeast(bytesStored.used, 30_000)
        assert.isBelow(bytesStored.used, 2 * 30_000)
      })

      it.effect("is the account's own: another account's bytes are neither revealed nor reused", function* () {
        const [owner, other] = [yield* account, yield* account]
        const files = declaredUpTo(2)
        yield* send((yield* reserve(owner, { files })).slots, range(2))
        const theirs = yield* reserve(other, { files })
        assert.isUndefined(theirs.slots.bundle.uploaded)
        assert.deepStrictEqual(there(theirs.slots), [])
        const objects = yield* incomplete(yield* finalize(other, theirs.token))
        assert.deepStrictEqual(
          objects.map(({ reason }) => reason),
          ["missing", "missing", "missing"]
        )
      })

      it.effect("is found under another path and content type, for as long as its reservation lives", function* () {
        const { hostedObject } = yield* TestHost
        const made = yield* account
        const [file] = declaredUpTo(1)
        const first = yield* reserve(made, { files: [file] })
        yield* send(first.slots, [0])
        yield* TestClock.adjust("59 minutes")
        const other = { ...file, path: "other.css", contentType: "text/css" }
        const second = yield* reservePreview(made, { files: [other] })
        assert.deepStrictEqual(there(second.slots), [0])
        yield* TestClock.adjust("1 minute")
        const third = yield* reservePreview(made, { files: [file] })
        assert.deepStrictEqual(there(third.slots), [])
        // The first reservation is over, and what was said of the second one holds.
        const done = yield* finalizePreview(made, second.token)
        assert.strictEqual(done.status, 201, done.text)
        assert.strictEqual(
          yield* hostedObject(made.key, second.shareId, "files/0"),
          new TextDecoder().decode(contentOf(0))
        )
      })

      it.effect("that is finalized after all shares its bytes with the one that was to replace it", function* () {
        const made = yield* account
        const files = declaredUpTo(3)
        const first = yield* reserve(made, { files })
        yield* send(first.slots, range(3))
        const second = yield* reserve(made, { files, commitSha: commit(2) })
        assert.deepStrictEqual(there(second.slots), range(3))
        assert.strictEqual((yield* finalize(made, first.token)).status, 201)
        assert.strictEqual((yield* finalize(made, second.token)).status, 201)

        const more = [{ ...files[0], path: "more.txt", contentHash: sha256(style), sizeBytes: style.byteLength }]
        const third = yield* reserve(made, { files: more, commitSha: commit(3) })
        yield* put(third.slots.files[0] ?? assert.fail(), style)
        const fourth = yield* reserve(made, { files: more, commitSha: commit(4) })
        assert.deepStrictEqual(there(fourth.slots), [0])
        // Between the fourth one's look at what is hosted and its promotion, the third one is finalized.
        let status = 0
        meanwhile = finalize(made, third.token).pipe(
          Effect.map((answer) => void (status = answer.status)),
          Effect.provideContext(yield* Effect.context<TestHost>())
        )
        const done = yield* finalize(made, fourth.token)
        assert.deepStrictEqual([status, done.status], [201, 201], done.text)
      })

      it.effect(
        "that was sent something else, or is deleted, is sent again to the slots that the finalize names",
        function* () {
          const { call } = yield* TestHost
          for (const spoil of ["wrong bytes", "deletion"] as const) {
            const made = yield* account
            const files = declaredUpTo(2)
            const first = yield* reserve(made, { files })
            yield* send(first.slots, range(2))
            const [, slot = assert.fail()] = first.slots.files
            const second = yield* reserve(made, { files, commitSha: commit(2) })
            assert.deepStrictEqual(there(second.slots), range(2))
            if (spoil === "deletion") {
              assert.strictEqual((yield* call("DELETE", `/api/v1/builds/${first.id}`, { key: made.key })).status, 204)
            } else yield* put(slot, bytes("x".repeat(slot.sizeBytes)))
            const objects = yield* incomplete(yield* finalize(made, second.token))
            const named = second.slots.files.filter(({ objectKey }) =>
              objects.some((object) => object.objectKey === objectKey)
            )
            assert.strictEqual(named.length, spoil === "deletion" ? 2 : 1)
            if (spoil === "deletion") yield* put(second.slots.bundle, bundle)
            for (const one of named) yield* put(one, contentOf(second.slots.files.indexOf(one)))
            const done = yield* finalize(made, second.token)
            assert.strictEqual(done.status, 201, done.text)
          }
        }
      )
    }
  )
}
