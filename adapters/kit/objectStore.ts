import { assert } from "@effect/vitest"
import { DateTime, Effect, Fiber, Stream } from "effect"
import { gzipSync } from "node:zlib"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { digests, refusedPuts, storedPuts } from "./objectStorePuts.ts"
import { type Adapter, offBy, suite } from "./parts/suite.ts"
import {
  assertBytes,
  assertRefused,
  bench,
  type Capabilities,
  decoded as text,
  digits,
  getBroken,
  type It,
  keyCharacters,
  listed,
  patterned,
  put,
  ranges,
  send,
  tamperings,
  type,
  utf8,
  withKey
} from "./parts/objectStoreHarness.ts"

export type { Capabilities } from "./parts/objectStoreHarness.ts"
export { OpenObjects } from "./parts/suite.ts"
export { Settled, UrlFetch } from "./parts/objectStoreHarness.ts"

/**
 * The cases that every adapter of {@link ObjectStore} must pass. A layer is built for each case and must be empty then:
 * it creates a bucket, a folder or a prefix, and deletes it afterwards. Presigned URLs receive real requests, sent by
 * `fetch` unless {@link UrlFetch} replaces it. Clocks are real.
 *
 * For a store whose URLs Slipway signs and serves itself, `loopback` serves them.
 *
 * What `makeObjectStore` does for every engine is tested beside it and not here.
 */
export const objectStoreSuite = <S = never>(name: string, store: Adapter<ObjectStore, S>, can: Capabilities): void =>
  suite(`ObjectStore on ${name}`, store, (it) => {
    storedPuts(it, can)
    refusedPuts(it, can)
    gets(it, can)
    clocks(it, can)
    promotions(it, can)
    listings(it)
    reads(it)
    removals(it)
    checks(it)
    digests(it, can)
  })

/** Cases of presigned URLs where the clock of the host that signs differs from the store's. */
export const clocks = (it: It, capabilities: Capabilities): void => {
  const { skewMinutes = 10 } = capabilities

  it.effect.each([skewMinutes, -skewMinutes])(
    "URLs signed by a host whose clock is %d minutes off are valid until they expire",
    function* (minutes) {
      const { contentOf, prefix, presignGet, presignPut } = yield* bench
      const key = `${prefix}signed`
      const putUrl = yield* offBy({ minutes })(presignPut({ key }))
      assert.strictEqual((yield* put(putUrl, type, utf8("hello"))).status, 200)
      assert.strictEqual(yield* contentOf(key), "hello")
      const answer = yield* send(yield* offBy({ minutes })(presignGet(key)))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(text(answer.body), "hello")
    }
  )

  it.effect("URLs signed by a host whose clock is behind don't live longer", function* () {
    const { contentOf, prefix, presignPut, store, stored } = yield* bench
    const key = yield* stored(`${prefix}signed`, utf8("hello"))
    const expiresAt = DateTime.subtract(yield* DateTime.now, { seconds: 2 })
    const signed = offBy({ minutes: -skewMinutes })
    assertRefused(yield* put(yield* signed(presignPut({ key, expiresAt })), type, utf8("later")), capabilities)
    assertRefused(yield* send(yield* signed(store.presignGet({ key, expiresAt }))), capabilities)
    assert.strictEqual(yield* contentOf(key), "hello")
  })
}

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
    const { prefix, readByChunks, stored } = yield* bench
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
      ({ part, range }) => Effect.map(readByChunks(key, range), (bytes) => assertBytes(bytes, part)),
      { concurrency: "unbounded" }
    )
    yield* stored(`${prefix}empty`, new Uint8Array())
    assert.strictEqual((yield* readByChunks(`${prefix}empty`)).byteLength, 0)
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

export const gets = (it: It, capabilities: Capabilities): void => {
  const { urlsServedByHost } = capabilities

  it.effect("a GET answers the whole object", function* () {
    const { prefix, presignGet, stored } = yield* bench
    const body = patterned(5 * 1024 ** 2)
    const url = yield* presignGet(yield* stored(`${prefix}whole`, body))
    const answer = yield* send(url)
    assert.strictEqual(answer.status, 200)
    assertBytes(answer.body, body)
    assert.strictEqual(answer.headers.get("content-type"), type)
    assert.strictEqual(answer.headers.get("content-length"), String(body.byteLength))
    assert.isNull(answer.headers.get("content-range"))
  })

  it.effect.each(ranges)("a GET answers a range: $name", function* ({ content, header }) {
    const { prefix, presignGet, stored } = yield* bench
    const url = yield* presignGet(yield* stored(`${prefix}digits`, digits))
    const answer = yield* send(url, { headers: { range: header } })
    assert.strictEqual(answer.status, 206)
    assert.strictEqual(text(answer.body), content)
    const first = Number(content[0])
    assert.strictEqual(answer.headers.get("content-range"), `bytes ${first}-${first + content.length - 1}/10`)
    assert.strictEqual(answer.headers.get("content-length"), String(content.length))
  })

  it.effect.each(["bytes=10-", "bytes=99-100"])(
    "a GET refuses a range with no byte of the object: %s",
    function* (range) {
      const { prefix, presignGet, stored } = yield* bench
      const url = yield* presignGet(yield* stored(`${prefix}digits`, digits))
      const answer = yield* send(url, { headers: { range } })
      assert.strictEqual(answer.status, 416)
      if (urlsServedByHost) assert.strictEqual(answer.headers.get("content-range"), "bytes */10")
    }
  )

  it.effect("a GET answers an empty object whole and refuses every range of it", function* () {
    const { prefix, presignGet, stored } = yield* bench
    const url = yield* presignGet(yield* stored(`${prefix}empty`, new Uint8Array()))
    const whole = yield* send(url)
    assert.strictEqual(whole.status, 200)
    assert.strictEqual(whole.headers.get("content-length"), "0")
    assert.strictEqual((yield* send(url, { headers: { range: "bytes=0-" } })).status, 416)
    if (urlsServedByHost) assert.strictEqual((yield* send(url, { headers: { range: "bytes=-5" } })).status, 416)
  })

  it.effect("an object can still be read after a client broke off its GET", function* () {
    const { prefix, presignGet, settled, stored } = yield* bench
    const body = patterned(8 * 1024 ** 2)
    const url = yield* presignGet(yield* stored(`${prefix}large`, body))
    yield* getBroken(url)
    yield* settled
    assertBytes((yield* send(url)).body, body)
  })

  it.effect("a GET leaves nothing open, however it ends", function* () {
    const { assertNothingOpen, prefix, presignGet, stored } = yield* bench
    const url = yield* presignGet(yield* stored(`${prefix}large`, patterned(8 * 1024 ** 2)))
    const answers = [
      yield* send(url),
      yield* send(url, { headers: { range: "bytes=2-4" } }),
      yield* send(url, { headers: { range: "bytes=99999999-" } })
    ]
    const statuses = answers.map(({ status }) => status)
    assert.deepStrictEqual(statuses, [200, 206, 416])
    yield* getBroken(url)
    yield* assertNothingOpen
  })

  it.effect("a GET answers the current object", function* () {
    const { prefix, presignGet, stored } = yield* bench
    const url = yield* presignGet(yield* stored(`${prefix}replaced`, utf8("first")))
    assert.strictEqual(text((yield* send(url)).body), "first")
    yield* stored(`${prefix}replaced`, utf8("second"))
    assert.strictEqual(text((yield* send(url)).body), "second")
  })

  it.effect("a GET of encoded content answers its content encoding", function* () {
    const { prefix, presignGet, presignPut } = yield* bench
    const key = `${prefix}encoded`
    const body = new Uint8Array(gzipSync("hello"))
    const headers = { "content-type": type, "content-encoding": "gzip" }
    const url = yield* presignPut({ key, sizeBytes: body.byteLength })
    assert.strictEqual((yield* send(url, { method: "PUT", headers, body })).status, 200)
    const answer = yield* send(yield* presignGet(key))
    assert.strictEqual(answer.headers.get("content-encoding"), "gzip")
    assert.strictEqual(text(answer.body), "hello")
  })

  it.effect("a GET of a missing object is refused", function* () {
    const { prefix, presignGet } = yield* bench
    const { status } = yield* send(yield* presignGet(`${prefix}none`))
    if (urlsServedByHost) assert.strictEqual(status, 404)
    else assert.include([403, 404], status)
  })

  it.effect("a GET URL for another key, another method, past its time or tampered with is refused", function* () {
    const { contentOf, past, prefix, presignGet, store, stored } = yield* bench
    const key = yield* stored(`${prefix}secret`, utf8("hello"))
    const other = yield* stored(`${prefix}other`, utf8("other"))
    const url = yield* presignGet(key)
    assertRefused(yield* send(withKey(url, key, other)), capabilities)
    assertRefused(yield* send(withKey(url, key, prefix)), capabilities)
    for (const method of ["HEAD", "DELETE", "POST"]) assertRefused(yield* send(url, { method }), capabilities)
    assertRefused(yield* put(url, type, utf8("12345")), capabilities)
    assertRefused(yield* send(yield* store.presignGet({ key, expiresAt: past })), capabilities)
    for (const [how, tampered] of tamperings(url)) {
      const answer = yield* send(tampered)
      assert.isAtLeast(answer.status, 400, how)
      assertRefused(answer, capabilities)
    }
    assert.strictEqual(yield* contentOf(key), "hello")
  })

  if (urlsServedByHost) ownGets(it)
}

/** What Slipway's own routes promise in addition. */
const ownGets = (it: It): void => {
  it.effect.each(["bytes=4-2", "bytes=0-1,3-4", "bytes=a-b", "bytes=-", "bytes=", "lines=1-2", "bytes=1"])(
    "a GET with an invalid range answers the whole object: %s",
    function* (range) {
      const { prefix, presignGet, stored } = yield* bench
      const url = yield* presignGet(yield* stored(`${prefix}digits`, digits))
      const answer = yield* send(url, { headers: { range } })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(text(answer.body), "0123456789")
    }
  )

  it.effect("a conditional range answers the whole object, because there is no validator to compare", function* () {
    const { prefix, presignGet, stored } = yield* bench
    const url = yield* presignGet(yield* stored(`${prefix}digits`, digits))
    const answer = yield* send(url, { headers: { range: "bytes=2-4", "if-range": '"tag"' } })
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(text(answer.body), "0123456789")
  })

  it.effect("uploaded content is sandboxed, and every origin may read it", function* () {
    const { prefix, presignGet, stored } = yield* bench
    const url = yield* presignGet(yield* stored(`${prefix}page`, utf8("<script></script>"), "text/html"))
    const answers = [
      yield* send(url),
      yield* send(url, { headers: { range: "bytes=0-1" } }),
      yield* send(url, { headers: { range: "bytes=99-" } }),
      yield* send(`${url}0`),
      yield* send(yield* presignGet(`${prefix}none`))
    ]
    const statuses = answers.map(({ status }) => status)
    assert.deepStrictEqual(statuses, [200, 206, 416, 403, 404])
    for (const { headers } of answers) {
      assert.strictEqual(headers.get("content-security-policy"), "sandbox")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      assert.isNull(headers.get("access-control-allow-credentials"))
    }
  })

  it.effect("a preflight request allows GET with ranges and PUT, and nothing else", function* () {
    const { prefix, presignGet, presignPut } = yield* bench
    const url = yield* presignGet(`${prefix}any`)
    const ask = (url: string, method: string) =>
      send(url, {
        method: "OPTIONS",
        headers: {
          origin: "https://elsewhere.example",
          "access-control-request-method": method,
          "access-control-request-headers": "range"
        }
      })
    const answer = yield* ask(url, "GET")
    assert.strictEqual(answer.status, 204)
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
    assert.strictEqual(answer.headers.get("access-control-allow-methods"), "GET")
    assert.include(answer.headers.get("access-control-allow-headers"), "range")
    const slot = yield* presignPut({ key: `${prefix}any` })
    const put = yield* ask(slot, "PUT")
    assert.strictEqual(put.status, 204)
    assert.strictEqual(put.headers.get("access-control-allow-origin"), "*")
    assert.strictEqual(put.headers.get("access-control-allow-methods"), "PUT")
    assert.strictEqual(put.headers.get("access-control-allow-headers"), "content-type")
    assert.strictEqual((yield* ask(slot, "DELETE")).status, 403)
    assert.strictEqual((yield* send(url, { method: "OPTIONS" })).status, 403)
  })

  it.effect.each(["", "gzip;", "gzip,,br", "é", "x".repeat(101)])(
    "a PUT with an invalid content encoding is refused: %j",
    function* (encoding) {
      const { assertMissing, prefix, presignPut } = yield* bench
      const key = `${prefix}encoded`
      const headers = { "content-type": type, "content-encoding": encoding }
      const answer = yield* send(yield* presignPut({ key }), { method: "PUT", headers, body: utf8("hello") })
      assert.strictEqual(answer.status, 400)
      yield* assertMissing(key)
    }
  )
}

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

  it.effect("a promotion isn't interrupted: when it has ended, no copy is still being made", function* () {
    const { keysBelow, prefix, store, stored } = yield* bench
    const from = yield* stored(`${prefix}uploads/a`, patterned(1000))
    const turns = (count: number) =>
      Effect.repeat(
        Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
        { times: count }
      )
    for (let after = 0; after < 5; after++) {
      const promoting = yield* Effect.forkChild(Effect.exit(store.promote(from, `${prefix}hosted/${after}`)))
      yield* turns(after)
      yield* Fiber.interrupt(promoting)
      const copied = yield* keysBelow(`${prefix}hosted/`)
      yield* turns(50)
      assert.deepStrictEqual(yield* keysBelow(`${prefix}hosted/`), copied)
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
