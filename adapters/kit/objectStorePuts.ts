import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import {
  askToPut,
  assertBytes,
  assertRefused,
  bench,
  type Bench,
  type Capabilities,
  decoded as text,
  type It,
  keyCharacters,
  listed,
  patterned,
  put,
  putBroken,
  putChunked,
  putTogether,
  send,
  sha256,
  tamperings,
  type,
  utf8,
  withKey
} from "./parts/objectStoreHarness.ts"

const mebibyte = 1024 ** 2

export const storedPuts = (it: It, capabilities: Capabilities): void => {
  const { urlsServedByHost } = capabilities

  it.effect("a PUT of the announced object can be listed and read back", function* () {
    const { prefix, read, store, stored } = yield* bench
    const key = yield* stored(`${prefix}bundle`, utf8("hello"))
    assert.deepStrictEqual(yield* store.list(prefix), [listed(key, utf8("hello"), capabilities)])
    const { bytes, ...facts } = yield* read(key)
    assert.strictEqual(text(bytes), "hello")
    assert.deepStrictEqual(facts, { sizeBytes: 5, offset: 0, length: 5, contentType: type })
  })

  it.effect("an object of no bytes", function* () {
    const { contentOf, prefix, store, stored } = yield* bench
    const key = yield* stored(`${prefix}empty`, new Uint8Array())
    assert.strictEqual(yield* contentOf(key), "")
    assert.strictEqual((yield* store.list(prefix))[0]?.sizeBytes, 0)
  })

  it.effect("an object of 5 MiB", function* () {
    const { prefix, read, stored } = yield* bench
    const body = patterned(5 * mebibyte)
    const key = yield* stored(`${prefix}large`, body)
    assertBytes((yield* read(key)).bytes, body)
  })

  it.effect.runIf(urlsServedByHost)("an object of 5 MiB whose length nobody announced", function* () {
    const { prefix, presignPut, read } = yield* bench
    const key = `${prefix}chunked`
    const body = patterned(5 * mebibyte)
    const url = yield* presignPut({ key, sizeBytes: body.byteLength })
    assert.strictEqual((yield* putChunked(url, type, body)).status, 200)
    assertBytes((yield* read(key)).bytes, body)
  })

  it.effect("a second PUT to the same URL replaces the object", function* () {
    const { contentOf, prefix, presignPut } = yield* bench
    const key = `${prefix}twice`
    const url = yield* presignPut({ key })
    assert.strictEqual((yield* put(url, type, utf8("first"))).status, 200)
    assert.strictEqual((yield* put(url, type, utf8("other"))).status, 200)
    assert.strictEqual(yield* contentOf(key), "other")
  })

  it.effect("a PUT replaces the whole object and its type, even when the earlier one was longer", function* () {
    const { prefix, read, stored } = yield* bench
    const key = yield* stored(`${prefix}shrinking`, patterned(mebibyte), "application/zip")
    yield* stored(key, utf8("short"))
    const { bytes, contentType } = yield* read(key)
    assert.strictEqual(text(bytes), "short")
    assert.strictEqual(contentType, type)
  })

  it.effect("an object keeps its content encoding", function* () {
    const { prefix, presignPut, read } = yield* bench
    const key = `${prefix}encoded`
    const headers = { "content-type": type, "content-encoding": "gzip" }
    const url = yield* presignPut({ key })
    assert.strictEqual((yield* send(url, { method: "PUT", headers, body: utf8("hello") })).status, 200)
    assert.strictEqual((yield* read(key)).contentEncoding, "gzip")
  })

  it.effect("a thousand URLs are answered in the order of the requests, each for its own object", function* () {
    const { contentOf, expiresAt, keysBelow, prefix, store } = yield* bench
    const names = Array.from({ length: 1000 }, (_, index) => String(index))
    const requests = names.map((name) => ({
      key: `${prefix}files/${name}`,
      contentType: type,
      sizeBytes: 5,
      expiresAt
    }))
    const urls = yield* store.presignPuts(requests)
    const named = urls.map((url) => new URL(url).pathname.split("/").at(-1))
    assert.deepStrictEqual(named, names)
    for (const index of [0, 500, 999]) {
      assert.strictEqual((yield* put(urls[index] ?? "", type, utf8(`n=${index}`.padEnd(5)))).status, 200)
    }
    const stored = [0, 500, 999].map((index) => `${prefix}files/${index}`)
    assert.deepStrictEqual(yield* keysBelow(prefix), stored)
    assert.strictEqual(yield* contentOf(`${prefix}files/500`), "n=500")
    assert.deepStrictEqual(yield* store.presignPuts([]), [])
  })

  for (const { count, name, sizeBytes } of [
    { name: "32 PUTs", count: 32, sizeBytes: mebibyte / 4 },
    { name: "3 PUTs of 9 MiB", count: 3, sizeBytes: 9 * mebibyte }
  ]) {
    it.effect(`${name} to one key at once leave one of the bodies, whole, and its digest`, function* () {
      const { prefix, presignPut, read, store } = yield* bench
      const key = `${prefix}contended`
      const url = yield* presignPut({ key, sizeBytes })
      const bodies = Array.from({ length: count }, (_, index) => new Uint8Array(sizeBytes).fill(index))
      const statuses = yield* putTogether(url, type, bodies)
      assert.deepStrictEqual(new Set(statuses), new Set([200]))
      const { bytes } = yield* read(key)
      const body = new Uint8Array(sizeBytes).fill(bytes[0] ?? -1)
      assertBytes(bytes, body)
      assert.deepStrictEqual(yield* store.list(prefix), [listed(key, body, capabilities)])
    })
  }

  it.effect("keys of every legal character name different objects", function* () {
    const { contentOf, keysBelow, prefix, presignGet, stored } = yield* bench
    const keys = [...keyCharacters].map((one) => `${prefix}keys/${one}x${one}`)
    yield* Effect.forEach(keys, (key) => stored(key, utf8(key)), { concurrency: 8, discard: true })
    assert.deepStrictEqual(yield* keysBelow(prefix), keys.toSorted())
    for (const key of keys) {
      assert.strictEqual(yield* contentOf(key), key)
      assert.strictEqual(text((yield* send(yield* presignGet(key))).body), key)
    }
  })

  it.effect("keys of every legal form", function* () {
    const { contentOf, keysBelow, prefix, stored } = yield* bench
    const keys = [
      `${prefix}${"long".repeat(128)}`.slice(0, 512),
      `${prefix}${"a/".repeat(200)}a`,
      `${prefix}!-_.*'()/azAZ09`,
      `${prefix}...`,
      `${prefix}.hidden/.tmp/-/_`,
      `${prefix}both`,
      `${prefix}both/a-folder-and-an-object`,
      `${prefix}objects/objects`
    ].toSorted()
    for (const key of keys) yield* stored(key, utf8(key))
    assert.deepStrictEqual(yield* keysBelow(prefix), keys)
    for (const key of keys) assert.strictEqual(yield* contentOf(key), key)
  })
}

/** Refused PUTs. Each case runs once where no object exists, and once where an object exists that has to stay. */
export const refusedPuts = (it: It, capabilities: Capabilities): void => {
  const { urlsServedByHost } = capabilities

  const leavesAllAsItWas = (
    name: string,
    attack: (key: string, bench: Bench) => Generator<Effect.Effect<unknown, unknown>, void, never>
  ) => {
    it.effect(`${name} is refused and stores nothing`, function* () {
      const here = yield* bench
      const key = `${here.prefix}refused`
      yield* Effect.gen(() => attack(key, here))
      yield* here.assertMissing(key)
    })
    it.effect(`${name} is refused and leaves the object that is there`, function* () {
      const here = yield* bench
      const key = yield* here.stored(`${here.prefix}kept`, utf8("there before"))
      yield* Effect.gen(() => attack(key, here))
      yield* here.settled
      assert.strictEqual(yield* here.contentOf(key), "there before")
      assert.deepStrictEqual(yield* here.keysBelow(here.prefix), [key])
    })
  }

  for (const [name, body] of [
    ["a body shorter than signed", "1234"],
    ["a body longer than signed", "123456"],
    ["no body where one was signed", ""]
  ] as const) {
    leavesAllAsItWas(name, function* (key, { presignPut }) {
      const url = yield* presignPut({ key, sizeBytes: 5 })
      assertRefused(yield* put(url, type, utf8(body)), capabilities)
      assertRefused(yield* putChunked(url, type, utf8(body)), capabilities)
    })
  }

  leavesAllAsItWas("one byte where none was signed", function* (key, { presignPut }) {
    const url = yield* presignPut({ key, sizeBytes: 0 })
    assertRefused(yield* put(url, type, utf8("1")), capabilities)
    assertRefused(yield* putChunked(url, type, utf8("1")), capabilities)
  })

  leavesAllAsItWas("a body that fails only at its end", function* (key, { presignPut }) {
    const body = patterned(mebibyte)
    assertRefused(yield* putChunked(yield* presignPut({ key, sizeBytes: mebibyte + 1 }), type, body), capabilities)
    assertRefused(yield* putChunked(yield* presignPut({ key, sizeBytes: mebibyte - 1 }), type, body), capabilities)
  })

  leavesAllAsItWas("a connection that breaks before the announced end", function* (key, { presignPut }) {
    const url = yield* presignPut({ key, sizeBytes: mebibyte })
    yield* putBroken(url, { contentType: type, announced: mebibyte, sent: patterned(mebibyte / 2) })
  })

  leavesAllAsItWas("a connection that breaks in the middle of chunks", function* (key, { presignPut }) {
    const url = yield* presignPut({ key, sizeBytes: mebibyte })
    yield* putBroken(url, { contentType: type, sent: patterned(mebibyte / 2) })
  })

  leavesAllAsItWas("a connection that breaks after the last byte but before the end", function* (key, { presignPut }) {
    const url = yield* presignPut({ key, sizeBytes: 5 })
    yield* putBroken(url, { contentType: type, sent: utf8("12345") })
  })

  leavesAllAsItWas("another content type", function* (key, { presignPut }) {
    const url = yield* presignPut({ key })
    for (const other of [
      "text/html",
      "text/javascript",
      `${type}; x=y`,
      "application/octet-stream",
      type.toUpperCase(),
      type.replace("utf-8", "UTF-8")
    ]) {
      assertRefused(yield* put(url, other, utf8("hello")), capabilities)
    }
    assertRefused(yield* send(url, { method: "PUT", body: utf8("hello") }), capabilities)
  })

  leavesAllAsItWas("another method", function* (key, { presignPut }) {
    const url = yield* presignPut({ key })
    const headers = { "content-type": type }
    for (const method of ["POST", "PATCH", "DELETE"]) {
      assertRefused(yield* send(url, { method, headers, body: utf8("hello") }), capabilities)
    }
    for (const method of ["GET", "HEAD"]) assertRefused(yield* send(url, { method, headers }), capabilities)
  })

  leavesAllAsItWas("another key", function* (key, { presignPut }) {
    const url = yield* presignPut({ key: `${key}-other` })
    for (const other of [key, `${key}/below`, `${key}-othe`, `${key}-OTHER`]) {
      assertRefused(yield* put(withKey(url, `${key}-other`, other), type, utf8("hello")), capabilities)
    }
  })

  leavesAllAsItWas("a tampered URL", function* (key, { presignPut }) {
    for (const [how, url] of tamperings(yield* presignPut({ key }))) {
      const answer = yield* put(url, type, utf8("hello"))
      assert.isAtLeast(answer.status, 400, how)
      assertRefused(answer, capabilities)
    }
  })

  leavesAllAsItWas("a tampered URL with a request that fits it", function* (key, { presignPut }) {
    const url = yield* presignPut({ key, contentType: "text/plain", sizeBytes: 5 })
    assertRefused(yield* put(url.replace("text%2Fplain", "text%2Fhtml"), "text/html", utf8("hello")), capabilities)
    assertRefused(yield* put(url.replace("length=5", "length=6"), "text/plain", utf8("hello!")), capabilities)
  })

  leavesAllAsItWas("a URL past its time", function* (key, { past, presignPut }) {
    const url = yield* presignPut({ key, expiresAt: past })
    assertRefused(yield* put(url, type, utf8("hello")), capabilities)
  })

  leavesAllAsItWas("a GET URL", function* (key, { presignGet }) {
    assertRefused(yield* put(yield* presignGet(key), type, utf8("hello")), capabilities)
  })

  it.effect.runIf(urlsServedByHost)(
    "a partial PUT is refused, naming its header, and leaves the existing object unchanged",
    function* () {
      const { contentOf, keysBelow, prefix, presignPut, settled, stored } = yield* bench
      const key = yield* stored(`${prefix}kept`, utf8("there before"))
      const url = yield* presignPut({ key, sizeBytes: 5 })
      for (const part of ["bytes 0-4/12", "bytes 0-4/5", "bytes */12", "nonsense"]) {
        const headers = { "content-type": type, "content-range": part }
        const answer = yield* send(url, { method: "PUT", headers, body: utf8("hello") })
        assert.strictEqual(answer.status, 400, part)
        assert.nestedPropertyVal(JSON.parse(text(answer.body)), "issues[0].path", "content-range")
      }
      yield* settled
      assert.strictEqual(yield* contentOf(key), "there before")
      assert.deepStrictEqual(yield* keysBelow(prefix), [key])
    }
  )

  it.effect.runIf(urlsServedByHost)("a refused PUT of 16 MiB still gets its answer", function* () {
    const { assertMissing, prefix, presignPut } = yield* bench
    const key = `${prefix}refused`
    const body = new Uint8Array(16 * mebibyte)
    const url = yield* presignPut({ key, sizeBytes: body.byteLength })
    const answer = yield* put(url, "text/html", body)
    assert.strictEqual(answer.status, 403)
    assert.include(text(answer.body), type)
    assert.strictEqual((yield* putChunked(yield* presignPut({ key }), type, body)).status, 403)
    yield* assertMissing(key)
  })

  it.effect.runIf(urlsServedByHost)(
    "a PUT that is refused for its headers is refused before its body is sent",
    function* () {
      const { past, prefix, presignPut, settled } = yield* bench
      const key = `${prefix}asked`
      const url = yield* presignPut({ key, sizeBytes: mebibyte })
      const answers = [
        yield* askToPut(url, { contentType: type, announced: mebibyte }),
        yield* askToPut(url, { contentType: type, announced: mebibyte + 1 }),
        yield* askToPut(url, { contentType: "text/html", announced: mebibyte }),
        yield* askToPut(`${url}0`, { contentType: type, announced: mebibyte }),
        yield* askToPut(yield* presignPut({ key, expiresAt: past }), { contentType: type, announced: 5 })
      ]
      assert.deepStrictEqual(answers, ["wanted", 403, 403, 403, 403])
      yield* settled
    }
  )
}

/** The digest of content that a listing must tell: the right one, or none where it may be absent. */
export const digests = (it: It, { reportsContentHash = false }: Capabilities): void => {
  const digestBench = Effect.map(bench, (here) => ({
    ...here,
    putAs: Effect.fnUntraced(function* (key: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
      const contentType = headers["content-type"] ?? type
      const url = yield* here.presignPut({ key, contentType, sizeBytes: body.byteLength })
      const init = { method: "PUT", headers: { "content-type": contentType, ...headers }, body }
      assert.strictEqual((yield* send(url, init)).status, 200)
    }),
    assertDigest: Effect.fnUntraced(function* (key: string, expected: string | undefined) {
      const listed = yield* here.store.list(`${key.slice(0, key.lastIndexOf("/"))}/`)
      const listedHash = listed.find((one) => one.key === key)?.contentHash
      if (listedHash !== undefined || reportsContentHash) assert.strictEqual(listedHash, expected)
      const opened = yield* Effect.scoped(here.store.read(key))
      assert.include([expected, undefined], opened.contentHash)
    })
  }))

  it.effect("the digest is that of the last PUT or the last promotion", function* () {
    const { assertDigest, prefix, store, stored } = yield* digestBench
    const [from, to] = [`${prefix}uploads/a`, `${prefix}hosted/a`]
    for (const content of [patterned(300_000), utf8("other"), utf8("again"), new Uint8Array()]) {
      yield* stored(from, content)
      yield* assertDigest(from, sha256(content))
      yield* store.promote(from, to)
      yield* assertDigest(to, sha256(content))
    }
    yield* stored(from, utf8("later"))
    yield* assertDigest(to, sha256(new Uint8Array()))
  })

  it.effect.each([{ "content-type": "application/gzip" }, { "content-encoding": "gzip" }])(
    "the digest of gzip is that of the decompressed content: %j",
    function* (headers) {
      const { assertDigest, prefix, putAs, store } = yield* digestBench
      const [from, to] = [`${prefix}uploads/a`, `${prefix}hosted/a`]
      const content = patterned(1_000_000)
      yield* putAs(from, new Uint8Array(gzipSync(content)), headers)
      yield* store.promote(from, to)
      for (const key of [from, to]) yield* assertDigest(key, sha256(content))
    }
  )

  it.effect(
    "the digest of a copy under another content type is that of its own content, or there is none",
    function* () {
      const { prefix, putAs, store } = yield* digestBench
      const content = patterned(300_000)
      const packed = new Uint8Array(gzipSync(content))
      for (const [index, [headers, body, copyAs, own]] of (
        [
          [{}, content, "text/css", sha256(content)],
          [{ "content-encoding": "gzip" }, packed, "text/css", sha256(packed)],
          [{ "content-type": "application/gzip" }, packed, type, sha256(packed)],
          [{}, packed, "application/gzip", sha256(content)]
        ] as const
      ).entries()) {
        const from = yield* Effect.as(putAs(`${prefix}uploads/${index}`, body, headers), `${prefix}uploads/${index}`)
        yield* store.promote(from, `${prefix}hosted/${index}/a`, copyAs)
        const [copy] = yield* store.list(`${prefix}hosted/${index}/`)
        assert.include([own, undefined], copy?.contentHash, `copy ${index}`)
      }
    }
  )

  it.effect("the answers of a store about an object that it examined are true, after every promotion", function* () {
    const { prefix, putAs, store } = yield* digestBench
    const [from, to] = [`${prefix}uploads/a`, `${prefix}hosted/a`]
    const examined = (key: string) => store.examine?.(key) ?? Effect.undefined
    const content = patterned(300_000)
    for (const [body, headers] of [
      [content, {}],
      [utf8("other"), { "content-encoding": "identity" }],
      [new Uint8Array(), {}]
    ] as const) {
      yield* putAs(from, body, headers)
      yield* store.promote(from, to)
      const facts = { sizeBytes: body.byteLength, contentType: type, contentHash: sha256(body) }
      const encoding = "content-encoding" in headers ? { contentEncoding: headers["content-encoding"] } : {}
      assert.deepInclude([{ ...facts, ...encoding }, undefined], yield* examined(to))
    }
    yield* putAs(from, new Uint8Array(gzipSync(content)), { "content-encoding": "gzip" })
    yield* store.promote(from, to)
    assert.include([sha256(content), undefined], (yield* examined(to))?.contentHash)
    assert.isUndefined(yield* examined(`${prefix}hosted/none`))
  })

  it.effect("content that is declared as gzip and isn't is stored unchanged and has no digest", function* () {
    const { assertDigest, contentOf, prefix, putAs } = yield* digestBench
    const key = `${prefix}uploads/a`
    yield* putAs(key, utf8("not packed at all"), { "content-encoding": "gzip" })
    yield* assertDigest(key, undefined)
    assert.strictEqual(yield* contentOf(key), "not packed at all")
  })
}
