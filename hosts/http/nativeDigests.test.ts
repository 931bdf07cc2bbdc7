/** Digests on what the platform has natively: right to the letter, in short turns, and given to every host. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { gzipSync } from "node:zlib"
import * as memory from "../../adapters/memory/index.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { Sha256 } from "../../core/ports/HostServices.ts"
import { Administration } from "../../core/service/Administration.ts"
import { contentDigest, decompressionBudget } from "../../core/service/contentDigest.ts"
import * as nativeDigests from "./nativeDigests.ts"
import { makeSlipway } from "./slipway.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { it } from "../../core/testing/layer.ts"
import { turnCounter } from "./testing/turnWork.ts"
import { asReservation, bytes, finalize, put, reserve, reserveBody, sha256 } from "./testing/uploads.ts"

const mebibyte = 1024 ** 2

const digestOf = (
  stream: Stream.Stream<Uint8Array, Unavailable>,
  { bound = 2 ** 40, contentType = "application/gzip" } = {}
) => contentDigest({ contentType, stream }, decompressionBudget(bound)).pipe(Effect.provide(nativeDigests.layer))

const whyNone = (...args: Parameters<typeof digestOf>) => Effect.map(Effect.flip(digestOf(...args)), ({ _tag }) => _tag)

describe("native digests", () => {
  it.live(
    "are those of gzip's decompressed content, and of the plain bytes of anything else, however they are chunked",
    function* () {
      const content = randomBytes(3 * mebibyte)
      const packed = gzipSync(content)
      const chunks = [packed.subarray(0, 1000), packed.subarray(1000, 2_000_000), packed.subarray(2_000_000)]
      assert.strictEqual(yield* digestOf(Stream.fromIterable(chunks)), sha256(content))
      assert.strictEqual(yield* digestOf(Stream.fromIterable(chunks), { contentType: "a/b" }), sha256(packed))
    }
  )

  it.live("detect invalid, truncated and over-long gzip", function* () {
    const packed = gzipSync(randomBytes(100_000))
    const followed = [bytes("more"), packed].map((more) => Buffer.concat([packed, more]))
    for (const wrong of [bytes("no gzip"), packed.subarray(0, -4), ...followed]) {
      assert.strictEqual(yield* whyNone(Stream.make(wrong)), "NotGzip")
    }
  })

  it.live("fail with the object's error, and stop reading when they stop", function* () {
    const packed = gzipSync(randomBytes(4 * mebibyte))
    const begun = Stream.concat(Stream.make(packed.subarray(0, 50_000)), Stream.fail(Unavailable.default))
    assert.strictEqual(yield* Effect.flip(digestOf(begun)), Unavailable.default)
    let [reads, ended] = [0, false]
    const chunks = Array.from({ length: 400 }, (_, n) => packed.subarray(n * 10_000, (n + 1) * 10_000))
    const stream = Stream.fromIterable(chunks, { chunkSize: 1 }).pipe(
      Stream.tap(() => Effect.sync(() => void reads++)),
      Stream.ensuring(Effect.sync(() => void (ended = true)))
    )
    assert.strictEqual(yield* whyNone(stream, { bound: 100_000 }), "OverBudget")
    assert.isTrue(ended)
    assert.isBelow(reads, chunks.length)
  })

  const zeros = new Uint8Array(64 * mebibyte)
  const sizes = { sizeBytes: zeros.byteLength, digest: sha256(zeros) }
  it.live.each([
    ["a bomb of 64 MiB", new Uint8Array(gzipSync(zeros)), "application/gzip"],
    ["64 MiB in one chunk", zeros, "text/javascript"]
  ] as const)("of %s digest at most a mebibyte in each turn of the event loop", function* ([, content, contentType]) {
    const counter = yield* Effect.acquireRelease(Effect.sync(turnCounter), ({ stop }) => Effect.sync(stop))
    const counted = Layer.effect(
      Sha256,
      Effect.map(Sha256, (make) => () => {
        const hash = make()
        const update = (bytes: Uint8Array) => {
          counter.count(bytes.byteLength)
          hash.update(bytes)
        }
        return { ...hash, update }
      })
    ).pipe(Layer.provide(nativeDigests.layer))
    const digest = contentDigest({ contentType, stream: Stream.make(content) }, decompressionBudget(2 ** 40))
    const found = yield* Effect.provide(digest, Layer.merge(nativeDigests.layer, counted))
    assert.strictEqual(found, sizes.digest)
    assert.isAtMost(counter.most(), mebibyte)
  })
})

describe("a host", () => {
  /** Gzip that only zlib can decompress, because `DecompressionStream` was removed. */
  const withoutDecompressionStream = Effect.acquireRelease(
    Effect.sync(() => {
      const before = globalThis.DecompressionStream
      Reflect.deleteProperty(globalThis, "DecompressionStream")
      return before
    }),
    (before) => Effect.sync(() => Reflect.set(globalThis, "DecompressionStream", before))
  )
  const plain = bytes("plain text ".repeat(1000))
  const packed = new Uint8Array(gzipSync(plain))
  const declared = {
    contentHash: sha256(plain),
    bundleSizeBytes: packed.byteLength,
    bundleContentType: "application/gzip"
  }

  it.effect("on Node decompresses natively", () =>
    Effect.gen(function* () {
      yield* withoutDecompressionStream
      const account = yield* newAccount()
      const { slots, token } = yield* reserve(account, declared)
      yield* put(slots.bundle, packed)
      assert.strictEqual((yield* finalize(account, token)).status, 201)
    }).pipe(
      Effect.provide(
        TestHost.layer({ metadata: "memory", objects: "memory", ports: memory.layer, routes: memory.routes })
      ),
      Effect.scoped
    )
  )

  /** Finalizes gzip content in an embedded host, and returns the status. */
  const finalizedIn = Effect.fnUntraced(function* (hashing: Layer.Layer<never>) {
    const url = "http://127.0.0.1"
    const { ports, routes } = memory.engines({ url, secret: Redacted.make("test secret") })
    const slipway = yield* Effect.acquireRelease(
      Effect.sync(() => makeSlipway({ settings: { url }, ports: Layer.merge(ports, hashing), routes })),
      ({ dispose }) => Effect.promise(dispose)
    )
    return yield* Effect.promise(async () => {
      const repository = { owner: "acme", repo: "app" }
      const { key } = await slipway.run(
        Administration.use(
          Effect.fnUntraced(function* (admin) {
            yield* admin.createAccount({ name: "acme" })
            yield* admin.linkRepository({ account: "acme", ...repository })
            return yield* admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] })
          })
        )
      )
      const post = (body: unknown) =>
        slipway.fetch(
          new Request(`${url}/api/v1/builds`, {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        )
      const answer: unknown = await (await post(reserveBody({ key, ...repository }, declared))).json()
      const { slots, token } = await Effect.runPromise(asReservation(answer))
      const headers = { "content-type": slots.bundle.contentType }
      await slipway.fetch(new Request(slots.bundle.putUrl, { method: "PUT", headers, body: packed }))
      return (await post({ operation: "finalize", token })).status
    })
  }, Effect.scoped)

  it.live("that is embedded decompresses natively", function* () {
    yield* withoutDecompressionStream
    assert.strictEqual(yield* finalizedIn(Layer.empty), 201)
  })

  it.live("that is embedded uses a hash implementation given with its ports", function* () {
    let hashed = 0
    const counting = Layer.succeed(Sha256, () => {
      const hash = createHash("sha256")
      return {
        update: (bytes) => {
          hashed += bytes.byteLength
          hash.update(bytes)
        },
        digest: () => hash.digest("hex")
      }
    })
    assert.strictEqual(yield* finalizedIn(counting), 201)
    assert.strictEqual(hashed, plain.byteLength)
  })
})
