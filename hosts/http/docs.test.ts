import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { createHook } from "node:async_hooks"
import { request, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { gunzipSync } from "node:zlib"
import { embedded } from "./testing/engines.ts"
import { jsonEndpoints } from "./testing/jsonEndpoints.ts"
import { TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"

/** The answer to a GET of `/docs` with just these headers, as it was sent. */
const get = Effect.fnUntraced(function* (headers: Record<string, string>) {
  const { url } = yield* TestHost
  return yield* Effect.promise(async () => {
    const asked = request(`${url}/docs`, { headers }).end()
    const answer = await new Promise<IncomingMessage>((resolve) => asked.once("response", resolve))
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
  })
})

layer(TestHost.layer(embedded()))("the reference at /docs", (it) => {
  it.effect("is one small page of the whole API, compressed once, and not sent again to who has it", function* () {
    let compressions = 0
    const hook = createHook({ init: (_id, type) => void (type === "ZLIB" && compressions++) }).enable()
    const plain = yield* get({})
    const zipped = yield* get({ "accept-encoding": "gzip, deflate" })
    hook.disable()
    assert.strictEqual(compressions, 1)
    assert.strictEqual(zipped.headers["content-encoding"], "gzip")
    assert.strictEqual(gunzipSync(zipped.body).toString(), plain.body.toString())
    assert.isBelow(plain.body.byteLength, 500_000)
    assert.isBelow(zipped.body.byteLength, 100_000)
    // The page loads nothing else; it has links.
    assert.notMatch(plain.body.toString(), /<(?!a\b)[^>]+\b(?:src|href)="(?!data:|#|\.\/openapi\.json)/)
    for (const { name } of jsonEndpoints) assert.include(plain.body.toString(), `<details id="${name}"`)

    const { etag = "" } = zipped.headers
    const again = yield* get({ "accept-encoding": "gzip, deflate", "if-none-match": etag })
    assert.deepStrictEqual([again.status, again.body.byteLength, again.headers.etag], [304, 0, etag])
  })
})

layer(TestHost.layer(embedded(), { docs: false }))("a host without the reference", (it) => {
  it.effect("answers 404 at /docs", function* () {
    assert.strictEqual((yield* get({})).status, 404)
  })
})
