import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { bench, patterned, sha256, type, utf8, type Capabilities, type It } from "./parts/objectStoreBench.ts"
import { send } from "./parts/objectStoreClient.ts"

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
