/** What `makeObjectStore` does for every engine, tested on one that keeps texts in a Map and can be made to fail. */
import { assert, describe } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { it } from "../../core/testing/layer.ts"
import { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import { ObjectMissing } from "../../core/ports/ObjectStore.ts"
import { copiedMetadata, type ObjectDriver } from "./ObjectDriver.ts"
import { makeObjectStore, resolveRange } from "./makeObjectStore.ts"

type Fault = "away" | "full"

const contentType = "text/plain"

/** A store with the simplest possible driver, the calls that the driver got, and the log. */
const opened = (driver: Partial<ObjectDriver<Fault>> = {}) => {
  const objects = new Map([["a/b", "0123456789"]])
  const seen = { presigned: new Array<number>(), logged: new Array<Fault>(), called: 0 }
  const find = (key: string) => {
    seen.called += 1
    const text = objects.get(key)
    return text === undefined ? Effect.fail(new ObjectMissing()) : Effect.succeed(text)
  }
  const store = makeObjectStore<Fault>({
    presign: (requests) => {
      seen.presigned.push(requests.length)
      return Effect.succeed(requests.map(({ key, method }) => `${method} ${key}`))
    },
    copy: (from, to) => Effect.map(find(from), (text) => void objects.set(to, text)),
    list: () => Effect.sync(() => Array.from(objects, ([key, text]) => ({ key, sizeBytes: text.length }))),
    scan: () =>
      Stream.fromIterable(Array.from(objects, ([key, text]) => ({ key, sizeBytes: text.length, cursor: key }))),
    open: (key) =>
      Effect.map(find(key), (text) => ({
        sizeBytes: text.length,
        contentType,
        stream: (offset, length) => Effect.succeed(Stream.make(Buffer.from(text.slice(offset, offset + length))))
      })),
    remove: (keys) =>
      Effect.sync(() => {
        seen.called += 1
        for (const key of keys) objects.delete(key)
      }),
    check: Effect.void,
    log: (fault) => Effect.sync(() => void seen.logged.push(fault)),
    isFull: (fault) => fault === "full",
    ...driver
  })
  return { objects, seen, store }
}

const expiresAt = DateTime.makeUnsafe(1000)
const putOf = (key: string) => ({ key, contentType, sizeBytes: 1, expiresAt })

describe("a store that is made of a driver", () => {
  it.effect("passes on what a driver knows of an object, and nothing else that its records have", function* () {
    const record = { id: "1", sizeBytes: 1, contentType, contentEncoding: "br", contentHash: "00" }
    const stream = () => Effect.succeed(Stream.make(Buffer.from("a")))
    const { store } = opened({ open: () => Effect.succeed({ ...record, stream }) })
    const { stream: _, ...known } = yield* store.read("a/b")
    const { id: __, ...expected } = record
    assert.deepStrictEqual(known, { ...expected, offset: 0, length: 1 })
    const { contentEncoding, contentHash } = record
    assert.deepStrictEqual(copiedMetadata(record, undefined), { contentType, contentEncoding, contentHash })
  })

  it.effect.each(["", "/a", "a/", "a//b", ".", "a/../b", "a b", "a%2fb", "a\\b", "é", "a\0", "a".repeat(513)])(
    "never passes an invalid key to it: %j",
    function* (key) {
      const { seen, store } = opened()
      for (const missing of [Effect.scoped(store.read(key)), store.promote(key, "copy")]) {
        assert.strictEqual(
          (yield* Effect.flip<unknown, { readonly _tag: string }, never>(missing))._tag,
          "ObjectMissing"
        )
      }
      for (const bug of [
        store.promote("a/b", key),
        store.presignPuts([putOf("a"), putOf(key)]),
        store.presignGet({ key, expiresAt })
      ]) {
        assert.isTrue(Exit.hasDies(yield* Effect.exit<unknown, unknown, never>(bug)))
      }
      assert.deepStrictEqual(yield* store.list(`${key}/`), [])
      assert.deepStrictEqual({ ...seen, called: seen.called }, { presigned: [], logged: [], called: 0 })
      yield* store.remove([key, "a/b"])
      assert.strictEqual((yield* Effect.flip(store.read("a/b")))._tag, "ObjectMissing")
    }
  )

  it.effect(
    "lists only below a prefix that ends in a slash, in the order of code units, and only valid keys",
    function* () {
      const { objects, store } = opened()
      objects.clear()
      const keys = ["B", "a", "_", "10", "9", "-", ".a", "a!", "a/b", "a-b", "aB", "c", "b/a"].map(
        (name) => `x/${name}`
      )
      for (const key of [...keys, "x/", "x/a name"]) objects.set(key, key)
      assert.deepStrictEqual(
        (yield* store.list("x/")).map(({ key }) => key),
        keys.toSorted()
      )
      for (const bug of ["", "x", "x/y"]) assert.isTrue(Exit.hasDies(yield* Effect.exit(store.list(bug))), bug)
    }
  )

  it.effect("resolves ranges by the size of the object", function* () {
    const { store } = opened()
    const { stream, ...facts } = yield* store.read("a/b", { suffix: 3 })
    assert.deepStrictEqual(facts, { sizeBytes: 10, offset: 7, length: 3, contentType })
    assert.strictEqual(Buffer.from(yield* Stream.mkUint8Array(stream)).toString(), "789")
    assert.strictEqual((yield* Effect.flip(store.read("a/b", { offset: 10 })))._tag, "RangeNotSatisfiable")
  })

  it.effect("signs many URLs in the order of the requests, no more than 100 in one go", function* () {
    const { seen, store } = opened()
    const keys = Array.from({ length: 250 }, (_, index) => `k/${index}`)
    assert.deepStrictEqual(
      yield* store.presignPuts(keys.map(putOf)),
      keys.map((key) => `PUT ${key}`)
    )
    assert.deepStrictEqual(seen.presigned, [100, 100, 50])
    assert.strictEqual(yield* store.presignGet({ key: "k/1", expiresAt }), "GET k/1")
  })

  it.effect("logs a fault once, and answers that the store can't be reached or has no room", function* () {
    for (const fault of ["away", "full"] as const) {
      const fails = Effect.fail(fault)
      const { seen, store } = opened({
        presign: () => fails,
        copy: () => fails,
        list: () => fails,
        open: () => fails,
        remove: () => fails,
        check: fails
      })
      const kept = fault === "full" ? InsufficientStorage.ofObjects : Unavailable.default
      assert.strictEqual(yield* Effect.flip(store.promote("a/b", "c")), kept)
      for (const call of [
        store.presignGet({ key: "a", expiresAt }),
        store.list("a/"),
        Effect.scoped(store.read("a")),
        store.remove(["a"]),
        store.check
      ]) {
        assert.strictEqual(yield* Effect.flip<unknown, unknown, never>(call), Unavailable.default)
      }
      assert.deepStrictEqual(
        seen.logged,
        Array.from({ length: 6 }, () => fault)
      )
    }
    const { seen, store } = opened({
      open: () => Effect.succeed({ sizeBytes: 1, contentType, stream: () => Effect.succeed(Stream.fail("away")) })
    })
    const { stream } = yield* store.read("a")
    assert.strictEqual(yield* Effect.flip(Stream.runDrain(stream)), Unavailable.default)
    assert.deepStrictEqual(seen.logged, ["away"])
  })

  it.effect("ends a promotion that has begun, also when its caller is interrupted", function* () {
    const begun = yield* Deferred.make<void>()
    let isCopied = false
    const { store } = opened({
      copy: () =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.sleep("1 minute")),
          Effect.andThen(Effect.sync(() => void (isCopied = true)))
        )
    })
    const promoting = yield* Effect.forkChild(store.promote("a", "b"))
    yield* Deferred.await(begun)
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(promoting))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(interrupting)
    assert.isTrue(isCopied)
  })
})

describe("resolveRange", () => {
  it.effect.each([
    { range: undefined, sizeBytes: 10, offset: 0, length: 10 },
    { range: undefined, sizeBytes: 0, offset: 0, length: 0 },
    { range: { offset: 0 }, sizeBytes: 10, offset: 0, length: 10 },
    { range: { offset: 9 }, sizeBytes: 10, offset: 9, length: 1 },
    { range: { offset: 2, length: 3 }, sizeBytes: 10, offset: 2, length: 3 },
    { range: { offset: 8, length: 3 }, sizeBytes: 10, offset: 8, length: 2 },
    { range: { suffix: 3 }, sizeBytes: 10, offset: 7, length: 3 },
    { range: { suffix: 10 }, sizeBytes: 10, offset: 0, length: 10 },
    { range: { suffix: 11 }, sizeBytes: 10, offset: 0, length: 10 }
  ])("$range of $sizeBytes bytes", function* ({ length, offset, range, sizeBytes }) {
    assert.deepStrictEqual(yield* resolveRange(range, sizeBytes), { offset, length })
  })

  it.effect.each([
    { range: { offset: 10 }, sizeBytes: 10 },
    { range: { offset: 11, length: 5 }, sizeBytes: 10 },
    { range: { offset: 3, length: 0 }, sizeBytes: 10 },
    { range: { suffix: 0 }, sizeBytes: 10 },
    { range: { offset: 0 }, sizeBytes: 0 },
    { range: { suffix: 5 }, sizeBytes: 0 }
  ])("$range holds no byte of $sizeBytes", function* ({ range, sizeBytes }) {
    assert.strictEqual((yield* Effect.flip(resolveRange(range, sizeBytes))).sizeBytes, sizeBytes)
  })
})
