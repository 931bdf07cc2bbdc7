import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { gzipSync } from "node:zlib"
import { RangeNotSatisfiable } from "../../../core/model/Problem.ts"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import { beginning } from "./beginning.ts"

const text = "0123456789".repeat(1000)

/** Opens an object in memory, and counts the bytes that are read. */
const opener = (content: Uint8Array, contentType: string, contentEncoding?: string) => {
  const count = { read: 0 }
  const open = (range: ByteRange) => {
    const length = Math.min("length" in range ? (range.length ?? 0) : 0, content.byteLength)
    if (length === 0) {
      return Effect.fail(new RangeNotSatisfiable({ detail: "The object has 0 bytes.", sizeBytes: 0 }))
    }
    const stream = Stream.suspend(() => {
      count.read += length
      return Stream.make(content.subarray(0, length))
    })
    const encoding = contentEncoding === undefined ? {} : { contentEncoding }
    return Effect.succeed({ sizeBytes: content.byteLength, offset: 0, length, contentType, ...encoding, stream })
  }
  return { count, open }
}

const bytes = (content: string) => new TextEncoder().encode(content)
const textOf = (content: Uint8Array) => new TextDecoder().decode(content)

describe("the beginning of an object", () => {
  it.effect("is its first bytes, without reading more", () =>
    Effect.gen(function* () {
      const { count, open } = opener(bytes(text), "text/plain")
      const found = yield* beginning(open, 25)
      assert.strictEqual(textOf(found.bytes), text.slice(0, 25))
      assert.isFalse(found.isWhole)
      assert.strictEqual(count.read, 25)
    })
  )

  it.effect("is all of it where there is no more", () =>
    Effect.gen(function* () {
      const { open } = opener(bytes("abc"), "text/plain")
      assert.isTrue((yield* beginning(open, 3)).isWhole)
      assert.isTrue((yield* beginning(open, 4)).isWhole)
      assert.isFalse((yield* beginning(open, 2)).isWhole)
    })
  )

  it.effect("is empty for an empty object", () =>
    Effect.gen(function* () {
      const found = yield* beginning(opener(new Uint8Array(), "text/plain").open, 10)
      assert.strictEqual(found.bytes.byteLength, 0)
      assert.isTrue(found.isWhole)
    })
  )

  it.effect("of gzip is decompressed, even if the gzip is cut off", () =>
    Effect.gen(function* () {
      const noise = Array.from({ length: 20_000 }, (_, n) => ((n * 2_654_435_761) % 4096).toString(36)).join(" ")
      for (const [type, encoding] of [["application/gzip"], ["text/plain", "gzip"]] as const) {
        const whole = yield* beginning(opener(gzipSync(text), type, encoding).open, 20_000)
        assert.strictEqual(textOf(whole.bytes), text)
        assert.isTrue(whole.isWhole)
        const cut = yield* beginning(opener(gzipSync(text), type, encoding).open, 1000)
        assert.strictEqual(textOf(cut.bytes), text.slice(0, 1000))
        assert.isFalse(cut.isWhole)
        const packed = yield* beginning(opener(gzipSync(noise), type, encoding).open, 5000)
        assert.strictEqual(packed.bytes.byteLength, 5000)
        assert.strictEqual(textOf(packed.bytes), noise.slice(0, 5000))
        assert.isFalse(packed.isWhole)
      }
    })
  )

  it.effect("of content wrongly declared as gzip is what could be read", () =>
    Effect.gen(function* () {
      const found = yield* beginning(opener(bytes("plain"), "text/plain", "gzip").open, 10)
      assert.strictEqual(textOf(found.bytes), "plain")
    })
  )

  it.effect("is not plain with another content encoding", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* beginning(opener(bytes("x"), "text/plain", "br").open, 10)).isPlain)
      assert.isTrue((yield* beginning(opener(bytes("x"), "text/plain", "identity").open, 10)).isPlain)
      assert.isTrue((yield* beginning(opener(gzipSync("x"), "text/plain", "gzip").open, 100)).isPlain)
    })
  )
})
