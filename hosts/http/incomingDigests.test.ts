/**
 * A host computes digests while uploads arrive, so that finalize reads no object; the bytes this decompresses are
 * bounded.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"
import { gzipSync } from "node:zlib"
import { Gunzip } from "../../core/ports/HostServices.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { reservationOf } from "../../core/rules/reservations.ts"
import * as nativeDigests from "./nativeDigests.ts"
import { enginesWithOwnUrls } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { finalizePreview, reservePreview, uploader } from "./testing/previews.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { bytes, commit, finalize, put, reserve, sha256 } from "./testing/uploads.ts"
import { aWhile, eventually, watched } from "./testing/watched.ts"

const bound = 1_000_000
const plainOf = (character: string, length: number) => bytes(character.repeat(length))
const packed = (content: Uint8Array) => new Uint8Array(gzipSync(content, { level: 0 }))
const bomb = new Uint8Array(gzipSync(new Uint8Array(20 * bound)))

/** S3 keeps no digest with an object. */
const keepsDigest = ({ objects }: { readonly objects: string }): boolean => !objects.startsWith("S3")

for (const plain of enginesWithOwnUrls().filter(keepsDigest)) {
  const { engines, seen } = watched(plain)
  let inflated = 0
  let reservations: ReservationStore["Service"] | undefined

  /** Counts the decompressed bytes, with the host's own implementation. */
  const counting = Layer.effect(
    Gunzip,
    Effect.map(
      Gunzip,
      (gunzip) => (compressed) =>
        Stream.tap(gunzip(compressed), ({ byteLength }) => Effect.sync(() => void (inflated += byteLength)))
    )
  ).pipe(Layer.provide(nativeDigests.layer))
  const tapped = Layer.effectDiscard(Effect.map(ReservationStore, (store) => void (reservations = store)))
  const ports = Layer.merge(Layer.provideMerge(tapped, engines.ports), counting)

  /** The stored count of decompressed bytes of the reservation that an object key belongs to. */
  const remembered = (objectKey: string) =>
    Effect.suspend(() => {
      const id = reservationOf(objectKey)
      return id === undefined || reservations === undefined ? Effect.die("no reservation") : reservations.findForPut(id)
    }).pipe(Effect.map((found) => Option.getOrThrow(found).reservation.decompressedBytes ?? 0))

  layer(TestHost.layer({ ...engines, ports }, { decompressedBytes: bound }))(
    `digests of uploads as they come in, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("are enough for a finalize, which reads no byte of the bundle and files, gzip or not", function* () {
        const account = yield* uploader
        const content = plainOf("x", 100_000)
        const uploads = [
          { body: content, contentType: "text/plain", headers: {} },
          { body: packed(content), contentType: "application/gzip", headers: {} },
          { body: packed(content), contentType: "text/plain", headers: { "content-encoding": "gzip" } }
        ]
        const declared = uploads.map(({ body, contentType }, index) => ({
          path: `file-${index}`,
          sizeBytes: body.byteLength,
          contentType,
          contentHash: sha256(content)
        }))
        const { slots, token } = yield* reservePreview(account, {
          contentHash: sha256(content),
          bundleSizeBytes: content.byteLength,
          bundleContentType: "text/plain",
          files: declared
        })
        yield* put(slots.bundle, content)
        for (const [index, { body, headers }] of uploads.entries()) {
          const slot = slots.files[index]
          assert.isDefined(slot)
          assert.strictEqual((yield* put(slot, body, headers)).status, 200)
        }
        const { reads } = seen
        const answer = yield* finalizePreview(account, token)
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(seen.reads, reads)
      })

      it.effect("show a mismatch at every finalize, without reading a byte", function* () {
        const account = yield* newAccount()
        const wrong = packed(plainOf("x", 400_000))
        const { slots, token } = yield* reserve(account, {
          contentHash: sha256(plainOf("y", 400_000)),
          bundleSizeBytes: wrong.byteLength,
          bundleContentType: "application/gzip"
        })
        yield* put(slots.bundle, wrong)
        const before = inflated
        for (let time = 0; time < 5; time++) {
          const answer = yield* finalize(account, token)
          assert.include(answer.text, sha256(plainOf("x", 400_000)))
        }
        assert.strictEqual(inflated, before)
        yield* put(slots.bundle, packed(plainOf("y", 400_000)))
        assert.strictEqual((yield* finalize(account, token)).status, 201)
      })

      it.effect.each([
        { size: 900_000, times: 1 },
        { size: 200_000, times: 6 }
      ])(
        "an upload of $size bytes that was wrong $times times can still be corrected and finalized",
        function* ({ size, times }) {
          const account = yield* newAccount()
          const right = packed(plainOf("y", size))
          const { slots, token } = yield* reserve(account, {
            commitSha: commit(size),
            contentHash: sha256(plainOf("y", size)),
            bundleSizeBytes: right.byteLength,
            bundleContentType: "application/gzip"
          })
          for (let time = 0; time < times; time++) yield* put(slots.bundle, packed(plainOf(`${time}`, size)))
          yield* put(slots.bundle, right)
          assert.strictEqual((yield* finalize(account, token)).status, 201)
        }
      )

      it.effect(
        "of bombs stop at the bound of their reservation, even if PUT repeatedly, concurrently or aborted",
        function* () {
          const account = yield* newAccount()
          const { slots, token } = yield* reserve(account, {
            commitSha: commit(7),
            bundleSizeBytes: bomb.byteLength,
            bundleContentType: "application/gzip"
          })
          const before = inflated
          const { contentType, objectKey, putUrl } = slots.bundle
          const broken = Effect.promise(() => {
            const body = new ReadableStream<Uint8Array>({
              start: (controller) => controller.enqueue(bomb.slice(0, 2000)),
              pull: (controller) => controller.error(new Error("the client goes away"))
            })
            const init = { method: "PUT", headers: { "content-type": contentType }, body, duplex: "half" }
            return fetch(putUrl, init).then(
              () => undefined,
              () => undefined
            )
          })
          yield* Effect.replicateEffect(broken, 5)
          yield* Effect.replicateEffect(put(slots.bundle, bomb), 8, { concurrency: "unbounded" })
          yield* Effect.replicateEffect(put(slots.bundle, bomb), 8)
          yield* eventually(() => seen.open === 0)
          yield* aWhile
          // The chunk that exceeded the bound counts too: at most 1 MiB each time the budget wasn't used up.
          const chunk = 1024 ** 2
          const many = inflated - before
          assert.isAtMost(many, bound + 13 * chunk)
          assert.strictEqual(yield* remembered(objectKey), bound - 1)
          yield* Effect.replicateEffect(put(slots.bundle, bomb), 8)
          assert.strictEqual(inflated - before, many)
          for (let time = 0; time < 2; time++) {
            const answer = yield* finalize(account, token)
            assert.strictEqual(answer.status, 409)
            assert.include(answer.text, `decompresses to more than ${bound} bytes`)
          }
        }
      )
    }
  )
}

for (const engines of enginesWithOwnUrls()) {
  layer(TestHost.layer(engines, { decompressedBytes: bound }))(
    `gzip on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("may decompress to the whole bound, wherever its digest is computed", function* () {
        const account = yield* newAccount()
        const content = plainOf("x", bound - 1)
        const body = packed(content)
        const { slots, token } = yield* reserve(account, {
          contentHash: sha256(content),
          bundleSizeBytes: body.byteLength,
          bundleContentType: "application/gzip"
        })
        assert.strictEqual((yield* put(slots.bundle, body)).status, 200)
        const answer = yield* finalize(account, token)
        assert.strictEqual(answer.status, 201, answer.text)
      })
    }
  )
}
