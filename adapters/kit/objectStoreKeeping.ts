import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import {
  assertBytes,
  bench,
  keyCharacters,
  listed,
  patterned,
  text,
  type,
  utf8,
  type Capabilities,
  type It
} from "./parts/objectStoreBench.ts"
import { put, send } from "./parts/objectStoreClient.ts"

export const promotions = (it: It, capabilities: Capabilities): void => {
  it.effect("a promotion copies the bytes of an object and everything that is known of it", function* () {
    const { contentOf, prefix, presignPut, read, store } = yield* bench
    const [from, to] = [`${prefix}uploads/a`, `${prefix}hosted/a`]
    const headers = { "content-type": type, "content-encoding": "identity" }
    yield* send(yield* presignPut({ key: from }), { method: "PUT", headers, body: utf8("hello") })
    yield* store.promote(from, to)
    const { bytes, ...facts } = yield* read(to)
    assert.strictEqual(text(bytes), "hello")
    assert.deepStrictEqual(facts, {
      sizeBytes: 5,
      offset: 0,
      length: 5,
      contentType: type,
      contentEncoding: "identity"
    })
    const encoding = capabilities.reportsContentHash === true ? { contentEncoding: "identity" } : {}
    assert.deepStrictEqual(yield* store.list(`${prefix}hosted/`), [
      { ...listed(to, utf8("hello"), capabilities), ...encoding }
    ])
    assert.strictEqual(yield* contentOf(from), "hello")
  })

  it.effect("a copy under a content type has that type and no encoding, and leaves the object as it was", function* () {
    const { prefix, presignPut, read, store } = yield* bench
    const from = `${prefix}uploads/a`
    const headers = { "content-type": type, "content-encoding": "identity" }
    yield* send(yield* presignPut({ key: from }), { method: "PUT", headers, body: utf8("hello") })
    for (const [index, contentType] of ["text/css", type].entries()) {
      const to = `${prefix}hosted/${index}`
      yield* store.promote(from, to, contentType)
      const { bytes, ...facts } = yield* read(to)
      assert.strictEqual(text(bytes), "hello")
      assert.deepStrictEqual(facts, { sizeBytes: 5, offset: 0, length: 5, contentType })
    }
    assert.strictEqual((yield* read(from)).contentEncoding, "identity")
    assert.strictEqual((yield* Effect.flip(store.promote(`${prefix}none`, `${prefix}b`, type)))._tag, "ObjectMissing")
  })

  it.effect("a later PUT to the source's URL doesn't change the copy, nor does removing the source", function* () {
    const { contentOf, errorOf, prefix, presignPut, store } = yield* bench
    const [from, to] = [`${prefix}uploads/a`, `${prefix}hosted/a`]
    const url = yield* presignPut({ key: from })
    yield* put(url, type, utf8("first"))
    yield* store.promote(from, to)
    assert.strictEqual((yield* put(url, type, utf8("other"))).status, 200)
    assert.strictEqual(yield* contentOf(to), "first")
    assert.strictEqual(yield* contentOf(from), "other")
    yield* store.remove([from])
    assert.strictEqual(yield* errorOf(from), "ObjectMissing")
    assert.strictEqual(yield* contentOf(to), "first")
  })

  it.effect("a promotion copies the source as it is at that moment", function* () {
    const { contentOf, prefix, presignPut, store } = yield* bench
    const from = `${prefix}uploads/a`
    const url = yield* presignPut({ key: from })
    for (const [index, content] of ["first", "other", "again"].entries()) {
      assert.strictEqual((yield* put(url, type, utf8(content))).status, 200)
      yield* store.promote(from, `${prefix}hosted/${index}`)
    }
    for (const [index, content] of ["first", "other", "again"].entries()) {
      assert.strictEqual(yield* contentOf(`${prefix}hosted/${index}`), content)
    }
  })

  it.effect("every promotion replaces the object at the other key", function* () {
    const { contentOf, keysBelow, prefix, store, stored } = yield* bench
    const to = yield* stored(`${prefix}hosted/a`, patterned(1000))
    const from = yield* stored(`${prefix}uploads/a`, utf8("hello"))
    yield* store.promote(from, to)
    yield* store.promote(from, to)
    assert.strictEqual(yield* contentOf(to), "hello")
    yield* store.promote(yield* stored(`${prefix}uploads/b`, utf8("other")), to)
    assert.strictEqual(yield* contentOf(to), "other")
    assert.deepStrictEqual(yield* keysBelow(prefix), [to, from, `${prefix}uploads/b`])
  })

  it.effect("the promotion of a missing object leaves the other key unchanged", function* () {
    const { contentOf, keysBelow, prefix, store, stored } = yield* bench
    const to = yield* stored(`${prefix}hosted/a`, utf8("hello"))
    for (const from of [`${prefix}uploads/none`, `${prefix}hosted`, `${prefix}hosted/a/below`]) {
      assert.strictEqual((yield* Effect.flip(store.promote(from, to)))._tag, "ObjectMissing")
      assert.strictEqual((yield* Effect.flip(store.promote(from, `${prefix}hosted/b`)))._tag, "ObjectMissing")
    }
    assert.strictEqual(yield* contentOf(to), "hello")
    assert.deepStrictEqual(yield* keysBelow(prefix), [to])
  })

  it.effect("an object is promoted from and to keys of every legal character", function* () {
    const { contentOf, keysBelow, prefix, store, stored } = yield* bench
    const names = [...keyCharacters].map((character) => `${character}x`)
    const hosted = (name: string) => `${prefix}hosted/${name}/${name}`
    yield* Effect.forEach(names, (name) => stored(`${prefix}uploads/${name}`, utf8(name)), { concurrency: 8 })
    yield* Effect.forEach(names, (name) => store.promote(`${prefix}uploads/${name}`, hosted(name)), {
      concurrency: 8,
      discard: true
    })
    const keys = names.map((name) => hosted(name))
    assert.deepStrictEqual(yield* keysBelow(`${prefix}hosted/`), keys.toSorted())
    for (const name of names) assert.strictEqual(yield* contentOf(hosted(name)), name)
  })

  it.effect("a promotion during many PUTs copies exactly one of the bodies, whole", function* () {
    const { prefix, presignPut, read, store, stored } = yield* bench
    const sizeBytes = 256 * 1024
    const from = yield* stored(`${prefix}uploads/a`, new Uint8Array(sizeBytes))
    const url = yield* presignPut({ key: from, sizeBytes })
    const steps = Array.from({ length: 16 }, (_, index) => index)
    yield* Effect.all(
      [
        Effect.forEach(steps, (step) => put(url, type, new Uint8Array(sizeBytes).fill(step))),
        Effect.forEach(steps, (step) => store.promote(from, `${prefix}hosted/${step}`))
      ],
      { concurrency: 2 }
    )
    for (const step of steps) {
      const { bytes } = yield* read(`${prefix}hosted/${step}`)
      assertBytes(bytes, new Uint8Array(sizeBytes).fill(bytes[0] ?? -1))
    }
  })
}

const sortedKeys = (objects: ReadonlyArray<{ readonly key: string }>) => objects.map(({ key }) => key).toSorted()

export const listings = (it: It): void => {
  it.effect("a listing holds the objects below the prefix and no others", function* () {
    const { keysBelow, prefix, store, stored } = yield* bench
    const source = yield* stored(`${prefix}source`, utf8("hello"))
    for (const name of ["a/b", "a/b/1", "a/b/c/2", "a/bc", "a/bc/3", "a/b.d", "a"]) {
      yield* store.promote(source, prefix + name)
    }
    assert.deepStrictEqual(yield* keysBelow(`${prefix}a/b/`), [`${prefix}a/b/1`, `${prefix}a/b/c/2`])
    assert.deepStrictEqual(yield* keysBelow(`${prefix}a/b/c/`), [`${prefix}a/b/c/2`])
    assert.deepStrictEqual(yield* keysBelow(`${prefix}a/b/1/`), [])
  })

  it.effect("a listing compares every character of its prefix, and its case", function* () {
    const { keysBelow, prefix, store, stored } = yield* bench
    const source = yield* stored(`${prefix}source`, utf8("hello"))
    const names = ["a_b.c*/1", "aXb.c*/1", "A_B.C*/1", "a_bXc*/1", "a_b.cc/1"]
    for (const name of names) yield* store.promote(source, prefix + name)
    for (const name of names) {
      assert.deepStrictEqual(yield* keysBelow(`${prefix}${name.slice(0, -1)}`), [prefix + name])
    }
  })

  it.effect("a new store is empty and holds nothing that another case stored", function* () {
    const { store } = yield* bench
    assert.deepStrictEqual(yield* store.list("kit/"), [], "a layer is built for each case, and must be empty")
  })

  it.effect("a listing without objects is empty", function* () {
    const { prefix, store } = yield* bench
    assert.deepStrictEqual(yield* store.list(prefix), [])
    assert.deepStrictEqual(yield* store.list(`${prefix}deeper/down/`), [])
  })

  it.effect("a listing of more than a thousand objects, each promoted just before", function* () {
    const { keysBelow, prefix, store, stored } = yield* bench
    const source = yield* stored(`${prefix}source`, utf8("hello"))
    const keys = Array.from({ length: 1001 }, (_, index) => `${prefix}many/${String(index).padStart(4, "0")}`)
    yield* Effect.forEach(keys, (key) => store.promote(source, key), { concurrency: 16, discard: true })
    assert.deepStrictEqual(yield* keysBelow(`${prefix}many/`), keys)
    const scanned = yield* Stream.runCollect(store.scan(`${prefix}many/`))
    assert.deepStrictEqual(sortedKeys(scanned), keys)
    const [middle] = scanned.slice(600)
    const behind = yield* Stream.runCollect(store.scan(`${prefix}many/`, middle?.cursor))
    assert.deepStrictEqual(behind, scanned.slice(601))
    yield* store.remove(keys)
    assert.deepStrictEqual(yield* keysBelow(prefix), [source])
  })

  it.effect(
    "a scan gives each object below the prefix once, and those after any position in the same order",
    function* () {
      const { prefix, store, stored } = yield* bench
      const source = yield* stored(`${prefix}source`, utf8("hello"))
      const long = "l".repeat(230)
      const short = "b a/1 a/b/2 a-b/3 a a/b a.b A/1 c/d/e/f/4".split(" ")
      const names = [...short, `${long}/5`, long, `${long}-6`]
      for (const name of names) yield* store.promote(source, `${prefix}all/${name}`)
      const all = yield* Stream.runCollect(store.scan(`${prefix}all/`))
      assert.deepStrictEqual(sortedKeys(all), names.map((name) => `${prefix}all/${name}`).toSorted())
      for (const { sizeBytes } of all) assert.strictEqual(sizeBytes, 5)
      for (const [index, { key, cursor }] of all.entries()) {
        assert.deepStrictEqual(yield* Stream.runCollect(store.scan(`${prefix}all/`, cursor)), all.slice(index + 1))
        yield* store.remove([key])
        assert.deepStrictEqual(yield* Stream.runCollect(store.scan(`${prefix}all/`, cursor)), all.slice(index + 1))
      }
      assert.deepStrictEqual(yield* Stream.runCollect(store.scan(`${prefix}all/`)), [])
    }
  )
}

export const removals = (it: It): void => {
  it.effect("many objects are removed at once, even when some of them are missing", function* () {
    const { contentOf, errorOf, keysBelow, prefix, store, stored } = yield* bench
    const kept = yield* stored(`${prefix}folder/kept`, utf8("hello"))
    const gone = [
      yield* stored(`${prefix}folder/a`, utf8("hello")),
      yield* stored(`${prefix}folder/deep/down/b`, utf8("hello")),
      yield* stored(`${prefix}other/c`, utf8("hello"))
    ]
    const missing = Array.from({ length: 1500 }, (_, index) => `${prefix}missing/${index}`)
    yield* store.remove([...missing, ...gone, `${prefix}folder`, `${kept}/below`])
    assert.deepStrictEqual(yield* keysBelow(prefix), [kept])
    for (const key of gone) assert.strictEqual(yield* errorOf(key), "ObjectMissing")
    assert.strictEqual(yield* contentOf(kept), "hello")
    yield* store.remove(gone)
    yield* store.remove([])
  })

  it.effect("a removed object can be stored again by the same URL", function* () {
    const { contentOf, prefix, presignPut, store } = yield* bench
    const key = `${prefix}folder/again`
    const url = yield* presignPut({ key })
    yield* put(url, type, utf8("first"))
    yield* store.remove([key])
    assert.strictEqual((yield* put(url, type, utf8("again"))).status, 200)
    assert.strictEqual(yield* contentOf(key), "again")
  })

  it.effect("concurrent PUTs and removals below one prefix don't disturb each other", function* () {
    const { contentOf, keysBelow, prefix, store, stored } = yield* bench
    const source = yield* stored(`${prefix}source`, utf8("hello"))
    const rounds = Array.from({ length: 50 }, (_, index) => index)
    const comeAndGo = (name: string) =>
      Effect.forEach(
        rounds,
        Effect.fnUntraced(function* (round) {
          const key = `${prefix}shared/deep/${name}-${round}`
          yield* store.promote(source, key)
          assert.strictEqual(yield* contentOf(key), "hello")
          yield* store.remove([key])
        })
      )
    yield* Effect.forEach(["a", "b", "c", "d/e", "f/g/h"], comeAndGo, { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* keysBelow(prefix), [source])
  })
}

export const checks = (it: It): void => {
  it.effect("a check passes on a reachable store, empty or not, and stores nothing", function* () {
    const { assertNothingOpen, keysBelow, prefix, store, stored } = yield* bench
    yield* store.check
    for (const folder of ["kit/", "uploads/", "hosted/"]) assert.deepStrictEqual(yield* keysBelow(folder), [])
    const key = yield* stored(`${prefix}a`, utf8("hello"))
    yield* store.check
    assert.deepStrictEqual(yield* keysBelow("kit/"), [key])
    yield* assertNothingOpen
  })
}
