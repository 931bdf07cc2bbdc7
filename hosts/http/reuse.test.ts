/** Bytes that an account has finalized before needn't be sent again; another account's bytes are never reused. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { UploadIncomplete } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { testEngines } from "./testing/engines.ts"
import { metadataBytesOf } from "../../core/rules/limits.ts"
import { layer } from "../../core/testing/layer.ts"
import { finalizePreview, previewBody, putFull, readyPreview, reserveFull, reservePreview } from "./testing/previews.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { bundle, bytes, commit, finalize, put, reserve, sha256 } from "./testing/uploads.ts"

const uploader = newAccount(["builds", "preview_upload", "test_runs"])

/** What is said to be uploaded of a reservation, in the order declared. */
const uploaded = (slots: {
  readonly bundle: { readonly uploaded?: true }
  readonly files: ReadonlyArray<{ readonly uploaded?: true }>
  readonly recordings?: ReadonlyArray<{ readonly uploaded?: true }>
}) => [slots.bundle, ...slots.files, ...(slots.recordings ?? [])].map((slot) => slot.uploaded)

const deleter = newAccount(["builds", "delete"])

const asUsage = Schema.decodeUnknownEffect(Schema.Struct({ bytesStored: Schema.Struct({ used: Schema.Finite }) }))

/** What a build with these files counts for its metadata. */
const metadataWith = (files: ReadonlyArray<object>) => {
  const { contentHash, bundleSizeBytes, bundleContentType } = previewBody()
  return metadataBytesOf({ contentHash, bundleSizeBytes, bundleContentType, isTransformed: false, files })
}

/** How many bytes the account keeps, without the metadata of builds with these lists of files. */
const bytesStored = ({ key }: { readonly key: string }, builds: ReadonlyArray<ReadonlyArray<object>>) =>
  TestHost.use(({ call }) => call("GET", "/api/v1/usage", { key })).pipe(
    Effect.flatMap(({ json }) => asUsage(json)),
    Effect.map(({ bytesStored }) => bytesStored.used - builds.reduce((sum, files) => sum + metadataWith(files), 0))
  )

const asIncomplete = Schema.decodeUnknownEffect(UploadIncomplete)

/** What finalize says of each object that it refuses. */
const reasons = Effect.fnUntraced(function* (answer: HttpResponse) {
  assert.strictEqual(answer.status, 409, answer.text)
  return (yield* asIncomplete(answer.json)).objects.map(({ reason }) => reason)
})

for (const plain of testEngines()) {
  let objects: ObjectStore["Service"] | undefined
  const tapped = Layer.effectDiscard(Effect.map(ObjectStore, (store) => void (objects = store)))
  const engines = { ...plain, ports: Layer.provideMerge(tapped, plain.ports) }

  /** Deletes all that is hosted, as somebody with access to the store might. */
  const loseEverything = Effect.suspend(() => {
    const store = objects ?? assert.fail("the engines are not open")
    return Effect.flatMap(store.list("hosted/"), (all) => store.remove(all.map(({ key }) => key)))
  })

  /** The keys of everything that is hosted, of every account. */
  const storedKeys = Effect.suspend(() =>
    Effect.map((objects ?? assert.fail("the engines are not open")).list("hosted/"), (all) => all.map(({ key }) => key))
  )

  layer(TestHost.layer(engines))(
    `bytes that are hosted already, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("are listed, and a finalize uses them without a PUT; what has no digest is sent again", function* () {
        const { hostedObject } = yield* TestHost
        const account = yield* uploader
        const first = yield* reserveFull(account)
        assert.deepStrictEqual(uploaded(first.slots), [undefined, undefined, undefined, undefined, undefined])
        yield* putFull(first)
        assert.strictEqual((yield* finalizePreview(account, first.token)).status, 201)

        const second = yield* reserveFull(account)
        assert.deepStrictEqual(uploaded(second.slots), [true, true, undefined, true, undefined])
        assert.deepStrictEqual(yield* reasons(yield* finalizePreview(account, second.token)), ["missing", "missing"])
        const [, file] = second.slots.files
        const [, recording] = second.slots.recordings
        yield* put(file ?? assert.fail(), bytes('{"answer":42}\n'))
        yield* put(recording ?? assert.fail(), bytes("I: started\nE: stopped\n"))
        assert.strictEqual((yield* finalizePreview(account, second.token)).status, 201)
        for (const name of ["bundle", "files/0", "files/1", "recordings/0", "recordings/1"]) {
          assert.strictEqual(
            yield* hostedObject(account.key, second.shareId, name),
            yield* hostedObject(account.key, first.shareId, name)
          )
        }
      })

      it.effect("serve builds and previews alike, under whatever name and content type", function* () {
        const { call, hostedBundle } = yield* TestHost
        const account = yield* uploader
        yield* readyPreview(account)
        const files = [
          { path: "a.txt", sizeBytes: bundle.byteLength, contentType: "text/plain", contentHash: sha256(bundle) },
          { path: "b.txt", sizeBytes: bundle.byteLength, contentType: "text/plain", contentHash: sha256(bundle) }
        ]
        const build = yield* reserve(account, { files, bundleContentType: "application/javascript" })
        assert.deepStrictEqual(uploaded(build.slots), [true, true, true])
        assert.strictEqual((yield* finalize(account, build.token)).status, 201)
        assert.strictEqual(yield* hostedBundle(account.key, build.id), new TextDecoder().decode(bundle))
        const preview = yield* reservePreview(account, { files })
        const { json } = yield* finalizePreview(account, preview.token)
        const { url } = yield* Schema.decodeUnknownEffect(
          Schema.Struct({ url: Schema.String, files: Schema.Array(Schema.Struct({ url: Schema.String })) })
        )(json).pipe(Effect.map(({ files: [file] }) => file ?? assert.fail("there is no file")))
        const { headers, text } = yield* call("GET", new URL(url).pathname, { key: account.key })
        assert.strictEqual(headers.get("content-type"), "text/plain")
        assert.strictEqual(text, new TextDecoder().decode(bundle))
      })

      it.effect("are never another account's: a digest is no proof of having the bytes", function* () {
        const [owner, other] = [yield* uploader, yield* uploader]
        yield* readyPreview(owner)
        const preview = yield* reservePreview(other)
        const build = yield* reserve(other)
        for (const { slots } of [preview, build]) assert.isUndefined(slots.bundle.uploaded)
        assert.deepStrictEqual(yield* reasons(yield* finalizePreview(other, preview.token)), ["missing"])
        assert.deepStrictEqual(yield* reasons(yield* finalize(other, build.token)), ["missing"])
      })

      it.effect(
        "are those of finalized uploads alone: what was sent to an open reservation is sent again",
        function* () {
          const account = yield* uploader
          const first = yield* reserve(account)
          assert.strictEqual((yield* put(first.slots.bundle, bundle)).status, 200)
          const second = yield* reserve(account, { commitSha: commit(2) })
          assert.isUndefined(second.slots.bundle.uploaded)
          assert.deepStrictEqual(yield* reasons(yield* finalize(account, second.token)), ["missing"])
          assert.strictEqual((yield* finalize(account, first.token)).status, 201)
          // It is hosted by now.
          assert.strictEqual((yield* finalize(account, second.token)).status, 201)
        }
      )

      it.effect("may be sent all the same, and what is sent is verified", function* () {
        const { hostedBundle } = yield* TestHost
        const account = yield* uploader
        yield* readyPreview(account)
        const { id, slots, token } = yield* reserve(account)
        assert.isTrue(slots.bundle.uploaded)
        const wrong = bytes("x".repeat(bundle.byteLength))
        assert.strictEqual((yield* put(slots.bundle, wrong)).status, 200)
        assert.deepStrictEqual(yield* reasons(yield* finalize(account, token)), ["digest_mismatch"])
        assert.strictEqual((yield* put(slots.bundle, bundle)).status, 200)
        assert.strictEqual((yield* finalize(account, token)).status, 201)
        assert.strictEqual(yield* hostedBundle(account.key, id), new TextDecoder().decode(bundle))
      })

      it.effect("that vanished meanwhile are missing, are sent, and are known again", function* () {
        const { hostedBundle } = yield* TestHost
        const account = yield* uploader
        yield* readyPreview(account)
        const { id, slots, token } = yield* reserve(account)
        assert.isTrue(slots.bundle.uploaded)
        yield* loseEverything
        assert.deepStrictEqual(yield* reasons(yield* finalize(account, token)), ["missing"])
        yield* put(slots.bundle, bundle)
        assert.strictEqual((yield* finalize(account, token)).status, 201)
        const next = yield* reserve(account, { commitSha: commit(2) })
        assert.isTrue(next.slots.bundle.uploaded)
        assert.strictEqual((yield* finalize(account, next.token)).status, 201)
        for (const one of [id, next.id]) {
          assert.strictEqual(yield* hostedBundle(account.key, one), new TextDecoder().decode(bundle))
        }
      })

      it.effect(
        "are stored once, under whatever name and type, and are served until the last upload of them is deleted",
        function* () {
          const { call, hostedBundle } = yield* TestHost
          const account = yield* deleter
          const before = yield* storedKeys
          const first = yield* reserve(account)
          yield* put(first.slots.bundle, bundle)
          assert.strictEqual((yield* finalize(account, first.token)).status, 201)
          const stored = yield* storedKeys
          const kept = yield* bytesStored(account, [[]])

          const types = Array.from({ length: 30 }, (_, index) => `application/x-type-${index}`)
          const files = types.map((contentType, index) => ({
            path: `${index}.bin`,
            sizeBytes: bundle.byteLength,
            contentType,
            contentHash: sha256(bundle)
          }))
          const second = yield* reserve(account, { commitSha: commit(2), files })
          assert.strictEqual((yield* finalize(account, second.token)).status, 201)
          // Also what is sent again all the same.
          const third = yield* reserve(account, { commitSha: commit(3) })
          yield* put(third.slots.bundle, bundle)
          assert.strictEqual((yield* finalize(account, third.token)).status, 201)
          // The answer doesn't wait until the copy is removed.
          const remaining = yield* Effect.repeat(storedKeys, { until: ({ length }) => length <= stored.length })
          assert.deepStrictEqual(remaining, stored)
          assert.deepStrictEqual(yield* bytesStored(account, [[], files, []]), kept)

          for (const { id, left } of [
            { id: first.id, left: [files, []] },
            { id: second.id, left: [[]] }
          ]) {
            const path = `/api/v1/builds/${id}`
            assert.strictEqual((yield* call("DELETE", path, { key: account.key })).status, 204)
            assert.strictEqual(yield* hostedBundle(account.key, third.id), new TextDecoder().decode(bundle))
            assert.deepStrictEqual(yield* bytesStored(account, left), kept)
          }
          yield* call("DELETE", `/api/v1/builds/${third.id}`, { key: account.key })
          assert.deepStrictEqual(
            (yield* storedKeys).filter((key) => !before.includes(key)),
            []
          )
          assert.strictEqual(yield* bytesStored(account, []), 0)
        }
      )
    }
  )
}
