import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { get, type IncomingHttpHeaders } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { accountWithRuns } from "../viewer/testing/previews.ts"
import { layer } from "../../core/testing/layer.ts"
import { inMemory } from "./testing/engines.ts"
import { TestHost } from "./testing/TestHost.ts"

interface Sent {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** An answer as it is sent: `fetch` would decompress it. */
const sent = Effect.fnUntraced(function* (path: string, headers: Record<string, string>) {
  const { url } = yield* TestHost
  return yield* Effect.callback<Sent>((resume) => {
    get(url + path, { headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }))
      )
    })
  })
})

/** What a browser sends when a person follows a link, opens an address, or a page loads something. */
const own = { "accept-encoding": "gzip, deflate, br", "sec-fetch-site": "same-origin" }

layer(TestHost.layer(inMemory))("answers of pages", (it) => {
  it.effect("with 100 tests are at most 60 kB of HTML, compressed", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    yield* Effect.forEach(
      Array.from({ length: 100 }, (_, n) => n),
      (n) =>
        ran(1 + (n % 3), `Checkout ${n}: pays an order of ${n * 7} items by card`, n % 9 === 0 ? "failed" : "passed"),
      { discard: true }
    )
    const page = `${path}&tab=tests`
    const plain = yield* sent(page, { cookie })
    assert.isUndefined(plain.headers["content-encoding"])
    for (const [accepted, encoding, decompress] of [
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["gzip", "gzip", gunzipSync]
    ] as const) {
      const { bytes, headers, status } = yield* sent(page, { ...own, cookie, "accept-encoding": accepted })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-encoding"], encoding)
      assert.strictEqual(headers["content-length"], String(bytes.byteLength))
      assert.strictEqual(headers.vary, "accept-encoding")
      assert.isAtMost(bytes.byteLength, 60_000)
      const text = decompress(bytes).toString()
      assert.include(text, "Checkout 99: pays an order of 693 items by card")
      assert.isAbove(text.length, bytes.byteLength)
    }
  })

  it.effect("are compressed only if another site can't have caused the request", function* () {
    const { cookie, path } = yield* accountWithRuns()
    const encodingFor = (headers: Record<string, string>) =>
      Effect.map(sent(path, { ...own, cookie, ...headers }), (answer) => answer.headers["content-encoding"])
    assert.strictEqual(yield* encodingFor({}), "br")
    assert.strictEqual(yield* encodingFor({ "sec-fetch-site": "none" }), "br")
    assert.strictEqual(yield* encodingFor({ "sec-fetch-site": "cross-site", "sec-fetch-user": "?1" }), "br")
    for (const site of ["cross-site", "same-site", ""]) {
      assert.isUndefined(yield* encodingFor({ "sec-fetch-site": site }), site)
    }
    assert.isUndefined(yield* encodingFor({ "accept-encoding": "br;q=0, identity" }))
  })

  it.effect("that never change are compressed for anybody, and revalidated", function* () {
    const { cookie, path } = yield* accountWithRuns()
    const html = (yield* sent(path, { cookie })).bytes.toString()
    const [script = ""] = /\/viewer-assets\/[\w.-]+\.js/.exec(html) ?? []
    const first = yield* sent(script, { "accept-encoding": "gzip" })
    assert.strictEqual(first.headers["content-encoding"], "gzip")
    const etag = first.headers.etag ?? ""
    const again = yield* sent(script, { "accept-encoding": "br", "if-none-match": etag })
    assert.strictEqual(again.status, 304)
    assert.strictEqual(again.headers.etag, etag)
    assert.strictEqual(again.bytes.byteLength, 0)
    const other = yield* sent(script, { "accept-encoding": "br", "if-none-match": `W/"other"` })
    assert.strictEqual(other.status, 200)
    assert.strictEqual(brotliDecompressSync(other.bytes).toString(), gunzipSync(first.bytes).toString())
  })

  it.effect("are not sent again to who has them, and never to who may not see them", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    const first = yield* sent(path, { ...own, cookie })
    const etag = first.headers.etag ?? ""
    assert.match(etag, /^W\/"/)
    assert.strictEqual(first.headers["cache-control"], "private, no-store, no-transform")
    const again = yield* sent(path, { cookie, "if-none-match": etag })
    assert.deepStrictEqual([again.status, again.bytes.byteLength, again.headers.etag], [304, 0, etag])
    assert.strictEqual(again.headers["content-security-policy"], first.headers["content-security-policy"])
    const unknown = yield* sent(path, { "if-none-match": etag })
    assert.deepStrictEqual([unknown.status, unknown.headers.etag === etag], [401, false])
    yield* ran(1, "Checkout of another test")
    const changed = yield* sent(path, { cookie, "if-none-match": etag })
    assert.strictEqual(changed.status, 200)
    assert.notStrictEqual(changed.headers.etag, etag)
  })

  it.effect("aren't those of the API, which are sent as they are", function* () {
    const { account, ran } = yield* accountWithRuns()
    yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => ran(n, `Checkout ${n}`), { discard: true })
    const list = `/api/v1/test-runs?org=${account.owner}&repo=${account.repo}`
    const { bytes, headers } = yield* sent(list, { ...own, authorization: `Bearer ${account.key}` })
    assert.isAbove(bytes.byteLength, 1024)
    assert.isUndefined(headers["content-encoding"])
  })
})
