import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { gzipSync } from "node:zlib"
import { Unavailable } from "../model/Problem.ts"
import { hashSecret } from "../rules/secrets.ts"
import { contentDigest } from "./contentDigest.ts"

const digestOf = (stream: Stream.Stream<Uint8Array, Unavailable>, bound = 1_000_000) =>
  contentDigest({ sizeBytes: 0, offset: 0, length: 0, contentType: "application/gzip", stream }, bound)

const inPieces = (bytes: Uint8Array, length: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.byteLength / length) }, (_, n) => bytes.subarray(n * length, (n + 1) * length))

describe("the digest of gzip content", () => {
  it.effect("is that of what it holds, however it is cut", () =>
    Effect.gen(function* () {
      const text = "hello, ".repeat(10_000)
      for (const length of [7, 1000, 100_000]) {
        const pieces = inPieces(gzipSync(text), length)
        assert.strictEqual(yield* digestOf(Stream.fromIterable(pieces)), hashSecret(text))
      }
    })
  )

  it.effect("fails as the object does when it can't be read on", () =>
    Effect.gen(function* () {
      const begun = Stream.make(gzipSync(randomBytes(100_000)).subarray(0, 50_000))
      for (const stream of [Stream.fail(Unavailable.answer), Stream.concat(begun, Stream.fail(Unavailable.answer))]) {
        assert.strictEqual(yield* Effect.flip(digestOf(stream)), Unavailable.answer)
      }
    })
  )

  it.live("is done with the object when it is answered, also when it stops early", () =>
    Effect.gen(function* () {
      const pieces = inPieces(gzipSync(randomBytes(1_000_000)), 10_000)
      for (const [cut, answer] of [
        [pieces, "decompresses to more than 300000 bytes"],
        [[new Uint8Array(100), ...pieces], "not valid gzip"]
      ] as const) {
        let closed = false
        let readAfterwards = 0
        const stream = Stream.mapEffect(Stream.fromIterable(cut, { chunkSize: 1 }), (piece) =>
          Effect.sync(() => {
            if (closed) readAfterwards += 1
            return piece
          })
        )
        const ended = Stream.ensuring(
          stream,
          Effect.andThen(
            Effect.sleep(20),
            Effect.sync(() => {
              if (closed) readAfterwards += 1
            })
          )
        )
        assert.strictEqual(yield* digestOf(ended, 300_000), answer)
        closed = true
        yield* Effect.sleep(50)
        assert.strictEqual(readAfterwards, 0)
      }
    })
  )
})
