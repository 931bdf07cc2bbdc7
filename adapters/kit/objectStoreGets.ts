import { assert } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import {
  assertBytes,
  assertRefused,
  bench,
  digits,
  patterned,
  ranges,
  tamperings,
  text,
  type,
  utf8,
  withKey,
  type Capabilities,
  type It
} from "./parts/objectStoreBench.ts"
import { getBroken, put, send } from "./parts/objectStoreClient.ts"

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
