import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { gzipSync } from "node:zlib"
import { Unavailable } from "../model/Problem.ts"
import { hashSecret } from "../rules/credentials.ts"
import { contentDigest, decompressionBudget, streamDigest } from "./contentDigest.ts"
import { Gunzip } from "../ports/HostServices.ts"

const digestOf = (stream: Stream.Stream<Uint8Array, Unavailable>, bound = 1_000_000) =>
  contentDigest({ contentType: "application/gzip", stream }, decompressionBudget(bound))

const inChunks = (bytes: Uint8Array, length: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.byteLength / length) }, (_, n) => bytes.subarray(n * length, (n + 1) * length))

describe("the digest of gzip content", () => {
  it.effect("is that of the decompressed bytes, however the gzip is chunked", () =>
    Effect.gen(function* () {
      const text = "hello, ".repeat(10_000)
      for (const length of [7, 1000, 100_000]) {
        const chunks = inChunks(gzipSync(text), length)
        assert.strictEqual(yield* digestOf(Stream.fromIterable(chunks)), hashSecret(text))
      }
    })
  )

  it.effect("fails with the object's error if reading fails", () =>
    Effect.gen(function* () {
      const begun = Stream.make(gzipSync(randomBytes(100_000)).subarray(0, 50_000))
      for (const stream of [Stream.fail(Unavailable.default), Stream.concat(begun, Stream.fail(Unavailable.default))]) {
        assert.strictEqual(yield* Effect.flip(digestOf(stream)), Unavailable.default)
      }
    })
  )

  it.effect("stops reading the object when it has answered, even early", () =>
    Effect.gen(function* () {
      const chunks = inChunks(gzipSync(randomBytes(1_000_000)), 10_000)
      for (const [cut, answer] of [
        [chunks, "OverBudget"],
        [[new Uint8Array(100), ...chunks], "NotGzip"]
      ] as const) {
        let reads = 0
        let ended = false
        const stream = Stream.fromIterable(cut, { chunkSize: 1 }).pipe(
          Stream.tap(() => Effect.sync(() => void reads++)),
          Stream.ensuring(Effect.sync(() => void (ended = true)))
        )
        assert.strictEqual((yield* Effect.flip(digestOf(stream, 300_000)))._tag, answer)
        assert.isTrue(ended)
        const readsWhenAnswered = reads
        for (let turn = 0; turn < 100; turn++)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        assert.strictEqual(reads, readsWhenAnswered)
      }
    })
  )

  it.effect("takes from one budget for all the objects of a reservation", () =>
    Effect.gen(function* () {
      const budget = decompressionBudget(150)
      const object = (stream: Stream.Stream<Uint8Array>) => ({ contentType: "application/gzip", stream })
      const packed = gzipSync("a".repeat(100))
      assert.strictEqual(yield* contentDigest(object(Stream.make(packed)), budget), hashSecret("a".repeat(100)))
      assert.strictEqual((yield* Effect.flip(contentDigest(object(Stream.make(packed)), budget)))._tag, "OverBudget")
    })
  )
})

describe("a digest of passing gzip", () => {
  it.effect("is computed when the bytes end, so that later steps don't wait for it", () =>
    Effect.gen(function* () {
      const mayEnd = Latch.makeUnsafe(false)
      const digest = yield* streamDigest({ contentType: "application/gzip" }, decompressionBudget(100)).pipe(
        Effect.provideService(Gunzip, (compressed) => Stream.concat(compressed, Stream.fromEffectDrain(mayEnd.await)))
      )
      const passing = yield* Effect.forkChild(Stream.runCollect(digest.passThrough(Stream.succeed(new Uint8Array(3)))))
      for (let time = 0; time < 100; time++) yield* Effect.yieldNow
      assert.isUndefined(passing.pollUnsafe())
      yield* mayEnd.open
      assert.deepStrictEqual(yield* Fiber.join(passing), [new Uint8Array(3)])
      assert.isDefined(yield* digest.digest)
    })
  )
})
