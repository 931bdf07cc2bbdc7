/** The digest that S3 reports for an object, and the fallback if it reports none. */
import type { S3Client } from "@aws-sdk/client-s3"
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Predicate, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { Agent, type RequestListener } from "node:http"
import { it } from "../../core/testing/layer.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { objectStoreSuite, OpenObjects, UrlFetch } from "../kit/objectStore.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { ObjectSink, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { openClient } from "./client.ts"
import { makeObjects, makeServedObjects } from "./objects.ts"
import { hasS3, newPrefix, openStore, presignPut, putThrough, withLogLines } from "./testing/server.ts"
import { clientOf, refuse, type Script, scriptedStore } from "./testing/scripted.ts"

const content = "x".repeat(300_000)
const digestOf = (encoding: "base64" | "hex") => createHash("sha256").update(content).digest(encoding)
const facts = { sizeBytes: content.length, contentType: "text/plain" }

/** A store that copies, tells this of its copies, and refuses copies with a checksum on request. */
const storeThatTells =
  (checksum: string | undefined, refused?: { readonly status: number; readonly code: string }): Script =>
  ({ headers, method }, response) => {
    if (method === "PUT") {
      if (refused !== undefined && headers["x-amz-checksum-algorithm"] !== undefined) {
        return refuse(response, refused.status, refused.code)
      }
      const reported = checksum === undefined ? "" : `<ChecksumSHA256>${checksum}</ChecksumSHA256>`
      return void response.end(`<CopyObjectResult><ETag>"e"</ETag>${reported}</CopyObjectResult>`)
    }
    response.writeHead(200, {
      "content-type": "text/plain",
      "content-length": content.length,
      ...(checksum === undefined || headers["x-amz-checksum-mode"] !== "ENABLED"
        ? {}
        : { "x-amz-checksum-sha256": checksum })
    })
    response.end(method === "HEAD" ? undefined : content)
  }

const examined = Effect.fnUntraced(function* (script: Script) {
  const { sent, store } = yield* scriptedStore(script)
  yield* store.promote("uploads/a", "hosted/a")
  const reported = yield* store.examine?.("hosted/a") ?? Effect.die("it examines nothing")
  return { reported, sent, store }
})

describe("an object that S3 examines", () => {
  it.live("is not read where the store has computed the checksum of the copy", function* () {
    const { sent, reported } = yield* examined(storeThatTells(digestOf("base64")))
    assert.deepStrictEqual(reported, { ...facts, contentHash: digestOf("hex") })
    assert.strictEqual(sent[0]?.headers["x-amz-checksum-algorithm"], "SHA256")
    assert.deepStrictEqual(
      sent.map(({ method }) => method),
      ["PUT", "HEAD"]
    )
  })

  it.live.each([
    ["tells no checksum", undefined],
    ["tells a checksum of the checksums of its parts", `${digestOf("base64")}-2`],
    ["tells what is no SHA-256", "AAAA"]
  ])("is read beside the event loop where the store %s", function* ([, checksum]) {
    const { sent, reported } = yield* examined(storeThatTells(checksum))
    assert.deepStrictEqual(reported, { ...facts, contentHash: digestOf("hex") })
    assert.strictEqual(sent.at(-1)?.method, "GET")
  })

  it.live.each([
    { status: 400, code: "InvalidArgument" },
    { status: 501, code: "NotImplemented" }
  ])(
    "is copied without a checksum by a store that refuses one ($status), which isn't asked again",
    function* (refused) {
      const { sent, store, reported } = yield* examined(storeThatTells(undefined, refused))
      assert.deepStrictEqual(reported, { ...facts, contentHash: digestOf("hex") })
      yield* store.promote("uploads/b", "hosted/b")
      const copies = sent.filter(({ method }) => method === "PUT")
      assert.deepStrictEqual(
        copies.map(({ headers }) => headers["x-amz-checksum-algorithm"]),
        ["SHA256", undefined, undefined]
      )
    }
  )

  it.live.each([
    ["is gzip", { "content-type": "text/plain", "content-encoding": "gzip", "content-length": 5 }, "hello"],
    ["ends too early", { "content-type": "text/plain", "content-length": 10 }, "hello"]
  ] as const)("is not reported if it %s", function* ([, headers, body]) {
    const { reported } = yield* examined(({ method }, response) => {
      if (method === "PUT") return void response.end("<CopyObjectResult></CopyObjectResult>")
      response.writeHead(200, headers)
      response.write(body, () => response.destroy())
    })
    assert.isUndefined(reported)
  })

  it.live("is not reported if the store refuses to return it", function* () {
    const { reported } = yield* examined((sent, response) =>
      sent.method === "PUT"
        ? void response.end("<CopyObjectResult></CopyObjectResult>")
        : refuse(response, 403, "AccessDenied")
    )
    assert.isUndefined(reported)
  })
})

const sizeBytes = 24 * 1024 ** 2

describe.skipIf(!hasS3)("an object of S3 that is too large for what lies in buffers on its way", () => {
  it.live("is read as it was when it was opened, even when it is replaced and removed meanwhile", function* () {
    const store = yield* openStore(yield* newPrefix)
    const key = "uploads/large"
    const url = yield* presignPut(store, key, sizeBytes)
    yield* putThrough(url, new Uint8Array(sizeBytes).fill(1))
    const opened = [yield* store.read(key), yield* store.read(key, { offset: 1 })]
    yield* putThrough(url, new Uint8Array(sizeBytes).fill(2))
    yield* store.remove([key])
    assert.strictEqual((yield* Effect.flip(store.read(key)))._tag, "ObjectMissing")
    for (const { length, stream } of opened) {
      let count = 0
      yield* Stream.runForEach(stream, (bytes) =>
        Effect.sync(() => {
          count += bytes.byteLength
          assert.isTrue(bytes.every((byte) => byte === 1))
        })
      )
      assert.strictEqual(count, length)
    }
  })
})

// Uploads through the host to a store that refuses them, or stops.

const mebibyte = new Uint8Array(1024 ** 2)

/** Receives an object of so many MiB into a store with this server, and counts the MiB that are read from the client. */
const receiveInto = Effect.fnUntraced(function* (answer: RequestListener, mebibytes: number) {
  const client = yield* clientOf(answer)
  const urls = SignedUrls.make({ secret: Redacted.make("secret of the host"), baseUrl: () => "http://host.example" })
  const { sink } = makeServedObjects(urls, { client, bucket: "bucket", prefix: "" })
  const count = { read: 0 }
  const bytes = Stream.range(1, mebibytes).pipe(
    Stream.rechunk(1),
    Stream.map(() => {
      count.read += 1
      return mebibyte
    })
  )
  const object = { key: "uploads/a", contentType: "text/plain", sizeBytes: mebibytes * mebibyte.byteLength }
  const receiving = yield* Effect.forkChild(withLogLines(Effect.flip(sink.receive(object, bytes))))
  /** The outcome, while the time of the test passes. */
  const outcome = Effect.gen(function* () {
    while (receiving.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("10 millis")
    }
    return yield* Fiber.join(receiving)
  })
  return { count, outcome }
})

describe("an upload through the host", () => {
  it.effect("is refused as soon as the store refuses it, and the rest isn't read", function* () {
    const { count, outcome } = yield* receiveInto((_, response) => refuse(response, 503, "SlowDown"), 500)
    const { lines, result } = yield* outcome
    assert.strictEqual(result, Unavailable.default)
    assert.match(lines.join("\n"), /can't be reached PutObject: 503 SlowDown/)
    assert.isBelow(count.read, 100)
  })

  it.effect("is read no faster than the store accepts it, and fails when the store stops", function* () {
    const { count, outcome } = yield* receiveInto((request) => void request.pause(), 500)
    const { lines, result } = yield* outcome
    assert.strictEqual(result, Unavailable.default)
    assert.match(lines.join("\n"), /PutObject: TimeoutError, nothing came for 30s/)
    assert.isBelow(count.read, 100)
  })

  it.effect("fails when the store has all of it and doesn't answer", function* () {
    const { count, outcome } = yield* receiveInto((request) => void request.resume(), 3)
    const { lines, result } = yield* outcome
    assert.strictEqual(result, Unavailable.default)
    assert.match(lines.join("\n"), /PutObject: TimeoutError, nothing came for 20s/)
    assert.strictEqual(count.read, 3)
  })
})

/**
 * How many connections of a client have a request on them. While it makes no other calls, that is the number of open
 * objects.
 */
const busyConnections = ({ config: { requestHandler } }: S3Client): Effect.Effect<number> =>
  Effect.sync(() => {
    if (
      !Predicate.hasProperty(requestHandler, "httpHandlerConfigs") ||
      !Predicate.isFunction(requestHandler.httpHandlerConfigs)
    ) {
      throw new TypeError("the SDK doesn't tell its agents")
    }
    const agents: ReadonlyArray<unknown> = Object.values(requestHandler.httpHandlerConfigs())
    const sockets = agents.filter((agent) => agent instanceof Agent).flatMap((agent) => Object.values(agent.sockets))
    return sockets.flatMap((some = []) => some).filter(({ destroyed }) => !destroyed).length
  })

/** A store may refuse a body in the middle by closing the connection, and its answer is then usually lost. */
const orClosed = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, init).catch((error: unknown) => {
    if (init.body instanceof ReadableStream) return new Response(null, { status: 400 })
    throw error
  })

const store = Layer.effectContext(
  Effect.gen(function* () {
    const options = yield* newPrefix
    const client = yield* openClient(options)
    return Context.make(ObjectStore, makeObjects({ ...options, client })).pipe(
      Context.add(OpenObjects, busyConnections(client)),
      Context.add(UrlFetch, orClosed)
    )
  })
)

const throughHost = Layer.effectContext(
  Effect.gen(function* () {
    const options = yield* newPrefix
    const client = yield* openClient(options)
    const { sink, store } = makeServedObjects(yield* SignedUrls, { ...options, client })
    return Context.make(ObjectStore, store).pipe(
      Context.add(ObjectSink, sink),
      Context.add(OpenObjects, busyConnections(client))
    )
  })
)

describe.skipIf(!hasS3)("S3", () => {
  objectStoreSuite("S3", store, { urlsServedByHost: false, listsContentType: false })
  objectStoreSuite("S3 through the host", loopback(throughHost), { urlsServedByHost: true, listsContentType: false })
})
