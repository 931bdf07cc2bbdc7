import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { assertBytes, bench, digits, patterned, ranges, text, type, utf8, type It } from "./parts/objectStoreBench.ts"
import { put } from "./parts/objectStoreClient.ts"

export const reads = (it: It): void => {
  it.effect.each(ranges)("a read of a range: $name", function* ({ content, range }) {
    const { prefix, read, stored } = yield* bench
    const key = yield* stored(`${prefix}digits`, digits)
    const { bytes, ...facts } = yield* read(key, range)
    assert.strictEqual(text(bytes), content)
    const offset = Number(content[0])
    assert.deepStrictEqual(facts, { sizeBytes: 10, offset, length: content.length, contentType: type })
  })

  it.effect("a read of a range with no byte of the object", function* () {
    const { prefix, store, stored } = yield* bench
    const key = yield* stored(`${prefix}digits`, digits)
    for (const range of [{ offset: 10 }, { offset: 99, length: 1 }, { suffix: 0 }]) {
      const error = yield* Effect.flip(store.read(key, range))
      assert.strictEqual(error._tag, "RangeNotSatisfiable")
      assert.strictEqual("sizeBytes" in error && error.sizeBytes, 10)
    }
  })

  it.effect("an empty object can be read whole, and no range of it can be read", function* () {
    const { contentOf, errorOf, prefix, stored } = yield* bench
    const key = yield* stored(`${prefix}empty`, new Uint8Array())
    assert.strictEqual(yield* contentOf(key), "")
    for (const range of [{ offset: 0 }, { offset: 0, length: 1 }, { suffix: 1 }]) {
      assert.strictEqual(yield* errorOf(key, range), "RangeNotSatisfiable")
    }
  })

  it.effect("ranges of a large object are read correctly across the borders of stored pieces", function* () {
    const { prefix, read, stored } = yield* bench
    const body = patterned(3_000_000)
    const key = yield* stored(`${prefix}large`, body)
    for (const [offset, length] of [
      [1, 2_999_998],
      [262_143, 2],
      [65_535, 1_000_003],
      [2_999_999, 1]
    ] as const) {
      assertBytes((yield* read(key, { offset, length })).bytes, body.subarray(offset, offset + length))
    }
  })

  it.effect("pieces are the bytes of the stream and stay what they are until their taker has ended", function* () {
    const { prefix, readByPieces, stored } = yield* bench
    const body = patterned(1_500_000)
    const key = yield* stored(`${prefix}large`, body)
    const parts = [
      { range: undefined, part: body },
      { range: { offset: 1 }, part: body.subarray(1) },
      { range: { offset: 65_000, length: 700_000 }, part: body.subarray(65_000, 765_000) },
      { range: { suffix: 300_000 }, part: body.subarray(-300_000) }
    ]
    yield* Effect.forEach(
      [...parts, ...parts],
      ({ part, range }) => Effect.map(readByPieces(key, range), (bytes) => assertBytes(bytes, part)),
      { concurrency: "unbounded" }
    )
    yield* stored(`${prefix}empty`, new Uint8Array())
    assert.strictEqual((yield* readByPieces(`${prefix}empty`)).byteLength, 0)
  })

  it.effect("a read of what isn't there", function* () {
    const { errorOf, prefix, stored } = yield* bench
    yield* stored(`${prefix}folder/a`, utf8("hello"))
    for (const name of ["none", "folder", "folder/a/below", "folder/A!"]) {
      assert.strictEqual(yield* errorOf(prefix + name), "ObjectMissing")
      assert.strictEqual(yield* errorOf(prefix + name, { offset: 0 }), "ObjectMissing")
    }
  })

  it.effect(
    "a reader gets the bytes that the object had when it was opened, whatever happens to it later",
    function* () {
      const { contentOf, prefix, presignPut, store, stored } = yield* bench
      const first = patterned(3_000_000)
      const key = yield* stored(`${prefix}replaced`, first)
      const [one, other] = [yield* store.read(key), yield* store.read(key)]
      const url = yield* presignPut({ key, sizeBytes: 5 })
      assert.strictEqual((yield* put(url, type, utf8("after"))).status, 200)
      assertBytes(yield* Stream.mkUint8Array(one.stream), first)
      const after = yield* store.read(key)
      yield* store.remove([key])
      assertBytes(yield* Stream.mkUint8Array(other.stream), first)
      assert.strictEqual(text(yield* Stream.mkUint8Array(after.stream)), "after")
      yield* stored(key, utf8("again"))
      assert.strictEqual(yield* contentOf(key), "again")
    }
  )

  it.effect("an object can still be read after a reader stopped early", function* () {
    const { prefix, read, store, stored } = yield* bench
    const body = patterned(3_000_000)
    const key = yield* stored(`${prefix}large`, body)
    const { stream } = yield* store.read(key)
    assert.isAbove((yield* Stream.runCollect(Stream.take(stream, 1))).length, 0)
    assertBytes((yield* read(key)).bytes, body)
  })

  it.effect("an object stays open until the scope closes, and is closed then even when nobody read it", function* () {
    const { assertNothingOpen, openObjects, prefix, store, stored } = yield* bench
    const body = patterned(600_000)
    const key = yield* stored(`${prefix}waiting`, body)
    yield* assertNothingOpen
    yield* Effect.gen(function* () {
      const { stream } = yield* store.read(key)
      yield* store.read(key, { offset: 1 })
      assert.include([2, undefined], yield* openObjects)
      yield* Effect.flip(Effect.scoped(store.read(key, { offset: body.byteLength })))
      assertBytes(yield* Stream.mkUint8Array(stream), body)
    }).pipe(Effect.scoped)
    assert.include([0, undefined], yield* openObjects)
    assert.strictEqual((yield* Effect.scoped(store.read(key))).sizeBytes, body.byteLength)
    assert.include([0, undefined], yield* openObjects)
  })

  it.effect("32 readers at once", function* () {
    const { prefix, read, stored } = yield* bench
    const body = patterned(600_000)
    const key = yield* stored(`${prefix}popular`, body)
    const all = yield* Effect.all(
      Array.from({ length: 32 }, () => read(key)),
      { concurrency: "unbounded" }
    )
    for (const { bytes } of all) assertBytes(bytes, body)
  })
}
