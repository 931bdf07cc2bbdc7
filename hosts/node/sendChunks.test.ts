import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream, type Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { createServer, get } from "node:http"
import { it } from "../../core/testing/layer.ts"
import { withChunks, type EachChunk } from "../../core/ports/HostServices.ts"
import * as SendChunks from "./sendChunks.ts"

const chunkBytes = 200_000

/** Gives chunks in the same memory again and again, filled with 1, 2, 3 and so on. */
const chunks =
  (count: number): EachChunk<never> =>
  (take) => {
    const memory = new Uint8Array(chunkBytes)
    return Effect.forEach(
      Array.from({ length: count }, (_, index) => index + 1),
      (value) => Effect.suspend(() => take(memory.fill(value))),
      { discard: true }
    )
  }

const neverRun = Stream.die("the stream was run beside its pieces")

/** A server with one route that answers this, and its URL. */
const serving = Effect.fnUntraced(function* (
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope>
) {
  const app = HttpRouter.add("GET", "/object", answer).pipe(
    Layer.provide(
      HttpRouter.middleware(Effect.map(HttpServerResponse.setHeader("x-request-id", "mine")), { global: true })
    ),
    Layer.provide(SendChunks.layer({ sendfile: false, trustedProxies: [] }))
  )
  const { address } = yield* HttpServer.HttpServer.pipe(
    Effect.provide(
      yield* Layer.build(
        HttpRouter.serve(app, { disableListenLog: true, disableLogger: true }).pipe(
          Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
        )
      )
    )
  )
  return `${HttpServer.formatAddress(address)}/object`
})

const object = (eachChunk: EachChunk<string>, contentLength: number) =>
  HttpServerResponse.stream(withChunks(neverRun, eachChunk), { contentType: "text/plain", contentLength })

const fetched = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))

describe("a body that can be read by pieces", () => {
  it.live("is sent whole to each of many readers, with the headers of its response", function* () {
    const url = yield* serving(Effect.sync(() => object(chunks(7), 7 * chunkBytes)))
    const read = Effect.gen(function* () {
      const response = yield* fetched(url)
      assert.strictEqual(response.headers.get("content-type"), "text/plain")
      assert.strictEqual(response.headers.get("content-length"), String(7 * chunkBytes))
      assert.strictEqual(response.headers.get("x-request-id"), "mine")
      const bytes = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
      assert.strictEqual(bytes.byteLength, 7 * chunkBytes)
      assert.isTrue(bytes.every((byte, at) => byte === Math.floor(at / chunkBytes) + 1))
    })
    yield* Effect.all(
      Array.from({ length: 12 }, () => read),
      { concurrency: "unbounded" }
    )
  })

  it.live("is not sent to a HEAD", function* () {
    const url = yield* serving(Effect.sync(() => object(() => Effect.die("pieces of a HEAD"), 5)))
    const response = yield* fetched(url, { method: "HEAD" })
    assert.strictEqual(response.headers.get("content-length"), "5")
    assert.strictEqual(yield* Effect.promise(() => response.text()), "")
  })

  it.live("that ends with a failure ends the connection, so that nobody takes a part for the whole", function* () {
    const failing: EachChunk<string> = (take) => Effect.andThen(chunks(2)(take), Effect.fail("the disk failed"))
    const url = yield* serving(Effect.sync(() => object(failing, 7 * chunkBytes)))
    const error = yield* Effect.flip(Effect.tryPromise(async () => (await fetch(url)).arrayBuffer()))
    assert.strictEqual(error._tag, "UnknownError")
  })

  it.live("is read no further after the client disconnects, and the request's resources are closed", function* () {
    const closed = yield* Deferred.make<void>()
    const endless: EachChunk<string> = (take) => Effect.forever(chunks(1)(take))
    const url = yield* serving(
      Effect.acquireRelease(
        Effect.sync(() => object(endless, Number.MAX_SAFE_INTEGER)),
        () => Deferred.succeed(closed, undefined)
      )
    )
    const client = get(url, (response) => response.once("data", () => client.destroy()))
    client.on("error", () => {})
    yield* Deferred.await(closed)
  })
})
