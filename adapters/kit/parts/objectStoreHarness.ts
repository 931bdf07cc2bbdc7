import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, identity, Latch, Layer, Redacted, Schedule, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createHash, randomUUID } from "node:crypto"
import * as http from "node:http"
import { createServer } from "node:http"
import * as https from "node:https"
import { text } from "node:stream/consumers"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import { runChunks } from "../../../core/ports/HostServices.ts"
import { ObjectStore, type PutRequest } from "../../../core/ports/ObjectStore.ts"
import { OpenSlots } from "../../../core/service/OpenSlots.ts"
import { decompressionBudget, streamDigest } from "../../../core/service/contentDigest.ts"
import { loadOptional, platform } from "../../optionalPackages.ts"
import { type ObjectSink, SignedUrls } from "../../signed-urls/SignedUrls.ts"
import { routes } from "../../signed-urls/routes.ts"
import { type Cases, OpenObjects } from "./suite.ts"

/** Counts the requests that are being answered, and waits until there are none. */
const makeInFlight = () => {
  let count = 0
  const none = Latch.makeUnsafe(true)
  const begin = Effect.sync(() => {
    count += 1
    none.closeUnsafe()
  })
  const end = Effect.sync(() => {
    count -= 1
    if (count === 0) none.openUnsafe()
  })
  return {
    counted: <A, E, R>(app: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        begin,
        () => app,
        () => end
      ),
    settled: none.await
  }
}

/** Lets every slot take a PUT and any decompressed size, for a store that is tested without reservations. */
export const layerEverySlotOpen = Layer.succeed(
  OpenSlots,
  OpenSlots.of({
    open: () =>
      Effect.succeed({
        accept: (content) => streamDigest(content, decompressionBudget(Infinity)),
        acceptUndigested: Effect.succeed({ passThrough: identity, digest: Effect.undefined })
      }),
    check: () => Effect.void
  })
)

/** The server is loaded only where it is used, because the suites of metadata need no HTTP. */
const httpServer = loadOptional(platform, () => import("@effect/platform-node/NodeHttpServer"))

/** A store whose URLs Slipway signs, with those URLs served over real HTTP on a port of the loopback interface. */
export const loopback = <E>(store: Layer.Layer<ObjectStore | ObjectSink, E, SignedUrls>) =>
  Layer.unwrap(
    Effect.map(httpServer, (NodeHttpServer) => {
      const { counted, settled } = makeInFlight()
      const urls = Layer.effect(
        SignedUrls,
        Effect.map(HttpServer.HttpServer, ({ address }) =>
          SignedUrls.make({
            secret: Redacted.make("a secret for tests"),
            baseUrl: () => HttpServer.formatAddress(address)
          })
        )
      )
      return HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true, middleware: counted }).pipe(
        Layer.provide(layerEverySlotOpen),
        Layer.provideMerge(store),
        Layer.provideMerge(urls),
        Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
        Layer.merge(Layer.succeed(Settled, settled))
      )
    })
  )

/** What a store can do beyond its port. What is declared is tested. */
export interface Capabilities {
  /** Its presigned URLs are Slipway's own routes, whose answers are known exactly. */
  readonly urlsServedByHost: boolean
  /** Listings tell content types. */
  readonly listsContentType: boolean
  /** Listings tell the digest of every PUT, also of compressed content. Without it they may omit digests. */
  readonly reportsContentHash?: boolean
  /** How many minutes the clock of a host that signs may differ from the store's; 10 by default. */
  readonly skewMinutes?: number
}

export type It = Cases<ObjectStore>

/** The content type of objects whose type doesn't matter. */
export const type = "text/javascript; charset=utf-8"

/** Every character that a key may hold except the slash. */
export const keyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!-_.*'()"

export const utf8 = (decoded: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(decoded)
export const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Bytes without a repeated stretch, so that a chunk in the wrong place is noticed. */
export const patterned = (length: number): Uint8Array<ArrayBuffer> => {
  while (pattern.byteLength < length) pattern = patternOf(2 * pattern.byteLength)
  return pattern.slice(0, length)
}

const patternOf = (length: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < length; at += 4) view.setUint32(at, at)
  return bytes
}

let pattern = patternOf(1024)

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** What a listing must show of an object after such a PUT. */
export const listed = (key: string, body: Uint8Array, can: Capabilities) => ({
  key,
  sizeBytes: body.byteLength,
  ...(can.listsContentType ? { contentType: type } : {}),
  ...(can.reportsContentHash === true ? { contentHash: sha256(body) } : {})
})

/** Ranges of an object of ten bytes: in the port's form, in the form of a header, and the bytes that they select. */
export const digits = utf8("0123456789")
export const ranges: ReadonlyArray<{
  readonly name: string
  readonly range: ByteRange
  readonly header: string
  readonly content: string
}> = [
  { name: "the middle", range: { offset: 2, length: 3 }, header: "bytes=2-4", content: "234" },
  { name: "one byte", range: { offset: 0, length: 1 }, header: "bytes=0-0", content: "0" },
  { name: "an open end", range: { offset: 7 }, header: "bytes=7-", content: "789" },
  { name: "all by an open end", range: { offset: 0 }, header: "bytes=0-", content: "0123456789" },
  { name: "past the end, cut", range: { offset: 8, length: 99 }, header: "bytes=8-106", content: "89" },
  { name: "the last ones", range: { suffix: 3 }, header: "bytes=-3", content: "789" },
  { name: "more last ones than there are", range: { suffix: 99 }, header: "bytes=-99", content: "0123456789" }
]

/** Compares many bytes without printing them all when they differ. */
export const assertBytes = (actual: Uint8Array, expected: Uint8Array): void => {
  assert.strictEqual(actual.byteLength, expected.byteLength, "the number of bytes")
  assert.isTrue(Buffer.from(actual.buffer, actual.byteOffset, actual.byteLength).equals(expected), "the same bytes")
}

/** A store, a prefix for the case, and the steps that cases consist of. */
export const bench = Effect.gen(function* () {
  const store = yield* ObjectStore
  const prefix = `kit/${randomUUID()}/`
  const expiresAt = DateTime.add(yield* DateTime.now, { hours: 1 })
  const settled = yield* Settled
  const openObjects = yield* OpenObjects

  const presignPut = (request: Partial<PutRequest> & { readonly key: string }) =>
    Effect.map(store.presignPuts([{ contentType: type, sizeBytes: 5, expiresAt, ...request }]), ([url]) => {
      assert.isDefined(url)
      return url ?? ""
    })
  const presignGet = (key: string) => store.presignGet({ key, expiresAt })

  const stored = Effect.fnUntraced(function* (key: string, body: Uint8Array<ArrayBuffer>, contentType = type) {
    const url = yield* presignPut({ key, contentType, sizeBytes: body.byteLength })
    const answer = yield* put(url, contentType, body)
    const { origin, pathname } = new URL(url)
    const said = decoded(answer.body).slice(0, 300)
    assert.strictEqual(answer.status, 200, `PUT ${origin}${pathname} answered ${answer.status}: ${said}`)
    return key
  })
  const read = Effect.fnUntraced(function* (key: string, range?: ByteRange) {
    // Not every store tells the digest of what it opens; the cases about digests look at it.
    const { contentHash: _digest, stream, ...facts } = yield* store.read(key, range)
    return { ...facts, bytes: yield* Stream.mkUint8Array(stream) }
  }, Effect.scoped)
  /** The bytes of an object as `runChunks` gives them. A chunk is looked at only some turns after it came. */
  const readByChunks = Effect.fnUntraced(function* (key: string, range?: ByteRange) {
    const { stream } = yield* store.read(key, range)
    const copied = new Array<Uint8Array>()
    yield* runChunks(stream, (chunk) =>
      Effect.sleep("1 millis").pipe(Effect.andThen(Effect.sync(() => void copied.push(Uint8Array.from(chunk)))))
    )
    return new Uint8Array(Buffer.concat(copied))
  }, Effect.scoped)
  const contentOf = (key: string) => Effect.map(read(key), ({ bytes }) => decoded(bytes))
  const errorOf = (key: string, range?: ByteRange) =>
    Effect.map(Effect.flip(Effect.scoped(store.read(key, range))), ({ _tag }) => _tag)
  const keysBelow = (prefix: string) => Effect.map(store.list(prefix), (objects) => objects.map(({ key }) => key))

  /** Neither a listing nor a read knows of the key. */
  const assertMissing = Effect.fnUntraced(function* (key: string) {
    yield* settled
    assert.strictEqual(yield* errorOf(key), "ObjectMissing")
    assert.deepStrictEqual(yield* keysBelow(key.slice(0, key.lastIndexOf("/") + 1)), [])
  })

  /** Waits until nothing is open, because a request ends just after its answer. */
  const assertNothingOpen = Effect.gen(function* () {
    yield* settled
    const left = yield* Effect.repeat(openObjects, {
      schedule: Schedule.spaced("10 millis"),
      while: (count) => count !== undefined && count > 0,
      times: 500
    })
    assert.include([0, undefined], left, "objects that are open still")
  })

  return {
    store,
    prefix,
    expiresAt,
    past: DateTime.subtract(expiresAt, { hours: 1, seconds: 1 }),
    settled,
    openObjects,
    presignPut,
    presignGet,
    stored,
    read,
    readByChunks,
    contentOf,
    errorOf,
    keysBelow,
    assertMissing,
    assertNothingOpen
  }
})

export type Bench = Effect.Success<typeof bench>

/** Asserts that the URL was refused: with 403 by Slipway's own routes, with any refusal by other engines. */
export const assertRefused = ({ status }: HttpResponse, { urlsServedByHost }: Capabilities): void => {
  if (urlsServedByHost) assert.strictEqual(status, 403)
  else assert.isAtLeast(status, 400)
}

/** Every way to change one parameter of a URL's query, with its name. An empty one can't be made shorter. */
export const tamperings = (url: string): ReadonlyArray<readonly [how: string, url: string]> => {
  const edit = (change: (query: URLSearchParams) => void): string => {
    const edited = new URL(url)
    change(edited.searchParams)
    return edited.href
  }
  const all = Array.from(new URL(url).searchParams).flatMap(([name, value]): ReadonlyArray<[string, string]> => [
    [`${name} longer`, edit((query) => query.set(name, `${value}0`))],
    [`${name} shorter`, edit((query) => query.set(name, value.slice(0, -1)))],
    [`${name} other at its end`, edit((query) => query.set(name, value.slice(0, -1) + nextOf(value.slice(-1))))],
    [`${name} other at its start`, edit((query) => query.set(name, nextOf(value.slice(0, 1)) + value.slice(1)))],
    [`no ${name}`, edit((query) => query.delete(name))],
    [`a second ${name}`, edit((query) => query.append(name, `${value}0`))]
  ])
  const query = (edited: string) => new URL(edited).searchParams.toString()
  return all.filter(([, edited]) => query(edited) !== query(url))
}

const nextOf = (character: string): string =>
  /[0-8A-Ya-y]/.test(character) ? String.fromCharCode(character.charCodeAt(0) + 1) : "0"

export const withKey = (url: string, key: string, other: string): string => url.replace(key, other)

// Requests to presigned URLs as a client sends them, whole ones and broken ones.

/** The global `fetch` with a new connection for each request, so that none is open after the answer was read. */
const fetchOnce = (url: string, init: RequestInit): Promise<Response> => {
  const headers = new Headers(init.headers)
  headers.set("connection", "close")
  return fetch(url, { ...init, headers })
}

/** Sends a request to a presigned URL. It is the global `fetch` unless a store's server needs another. */
export const UrlFetch = Context.Reference<(url: string, init: RequestInit) => Promise<Response>>(
  "slipway/adapters/kit/UrlFetch",
  { defaultValue: () => fetchOnce }
)

/**
 * Waits until the store's server has finished every request, also those whose client has gone. Doesn't wait where that
 * can't be known.
 */
export const Settled = Context.Reference<Effect.Effect<void>>("slipway/adapters/kit/Settled", {
  defaultValue: () => Effect.void
})

/** An answer, read to its end. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

export const send = Effect.fnUntraced(function* (
  url: string,
  init: RequestInit & { readonly duplex?: "half" } = {}
): Effect.fn.Return<HttpResponse> {
  const urlFetch = yield* UrlFetch
  return yield* Effect.promise(async (signal) => {
    const response = await urlFetch(url, { ...init, signal })
    const body = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, body }
  })
})

/** A PUT of bytes whose length is announced. */
export const put = (url: string, contentType: string, body: Uint8Array<ArrayBuffer>) =>
  send(url, { method: "PUT", headers: { "content-type": contentType }, body })

/** A PUT of bytes in chunks of 64 KiB, without an announced length. */
export const putChunked = (url: string, contentType: string, body: Uint8Array<ArrayBuffer>) =>
  Effect.suspend(() => {
    let at = 0
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= body.byteLength) return controller.close()
        controller.enqueue(body.slice(at, at + 65_536))
        at += 65_536
      }
    })
    return send(url, { method: "PUT", headers: { "content-type": contentType }, body: chunks, duplex: "half" })
  })

/** The head of a PUT whose body is sent later. Without an announced length it is chunked. */
const openPut = (url: string, put: { readonly contentType: string; readonly announced?: number }) =>
  (url.startsWith("https:") ? https : http).request(url, {
    method: "PUT",
    agent: false,
    headers: {
      "content-type": put.contentType,
      expect: "100-continue",
      ...(put.announced === undefined
        ? { "transfer-encoding": "chunked" }
        : { "content-length": String(put.announced) })
    }
  })

/**
 * A PUT whose connection breaks after some of its bytes, once the server has begun to read them. `announced` is the
 * announced length; without one the body is chunked.
 */
export const putBroken = (
  url: string,
  put: { readonly contentType: string; readonly announced?: number; readonly sent: Uint8Array }
): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const outgoing = openPut(url, put)
    const breakOff = () => outgoing.destroy()
    outgoing.on("continue", () => outgoing.write(put.sent, breakOff))
    outgoing.on("response", breakOff)
    outgoing.on("error", breakOff)
    outgoing.on("close", () => resume(Effect.void))
    outgoing.flushHeaders()
  })

/** How many bytes of a body {@link putTogether} sends at a time. */
const chunkBytes = 128 * 1024

/** A PUT whose body is sent in chunks, once the server has begun to read it. */
const beginPut = (url: string, contentType: string, body: Uint8Array) =>
  Effect.acquireRelease(
    Effect.sync(() => openPut(url, { contentType, announced: body.byteLength })),
    (outgoing) => Effect.sync(() => void outgoing.destroy())
  ).pipe(
    Effect.flatMap((outgoing) =>
      Effect.promise(async () => {
        const wanted = new Promise<undefined>((resolve) => outgoing.on("continue", () => resolve(undefined)))
        const answered = new Promise<{ readonly status: number; readonly said: string }>((resolve, reject) => {
          outgoing.on("error", reject)
          outgoing.on("response", (incoming) =>
            text(incoming).then((said) => resolve({ status: incoming.statusCode ?? 0, said }), reject)
          )
        })
        outgoing.flushHeaders()
        const early = await Promise.race([wanted, answered])
        if (early) throw new Error(`the store answered ${early.status} before the body: ${early.said.slice(0, 300)}`)
        return {
          /** Sends the chunk at this position, unless the store has answered already. */
          send: (at: number) =>
            Effect.promise(() => {
              const sent = new Promise((resolve) => outgoing.write(body.subarray(at, at + chunkBytes), resolve))
              return Promise.race([sent, answered])
            }),
          /** Sends the rest; the status of the answer. */
          finish: (at: number) =>
            Effect.promise(async () => {
              outgoing.end(body.subarray(at))
              return (await answered).status
            })
        }
      })
    )
  )

/**
 * Sends PUTs of bodies of one length at the same time, a chunk of each in turn. The PUT that sends each chunk last ends
 * first, because a store that mixes bodies then stores its chunks with the end of another. Answers their statuses.
 */
export const putTogether = Effect.fnUntraced(function* (
  url: string,
  contentType: string,
  bodies: ReadonlyArray<Uint8Array>
) {
  const begun = yield* Effect.forEach(bodies, (body) => beginPut(url, contentType, body), { concurrency: "unbounded" })
  let at = 0
  for (const length = bodies[0]?.byteLength ?? 0; at < length - chunkBytes; at += chunkBytes) {
    yield* Effect.forEach(begun, ({ send }) => send(at), { discard: true })
  }
  const first = yield* Effect.forEach(begun.slice(-1), ({ finish }) => finish(at))
  const others = yield* Effect.forEach(begun.slice(0, -1), ({ finish }) => finish(at), { concurrency: "unbounded" })
  return [...first, ...others]
}, Effect.scoped)

/**
 * A PUT that sends its headers and asks whether its body is wanted (RFC 9110 §10.1.1). Answers `wanted`, or the status
 * that refused it before the body was sent.
 */
export const askToPut = (
  url: string,
  put: { readonly contentType: string; readonly announced: number }
): Effect.Effect<"wanted" | number> =>
  Effect.callback((resume) => {
    const outgoing = openPut(url, put)
    outgoing.on("continue", () => {
      outgoing.destroy()
      resume(Effect.succeed("wanted"))
    })
    outgoing.on("response", ({ statusCode }) => {
      outgoing.destroy()
      resume(Effect.succeed(statusCode ?? 0))
    })
    outgoing.on("error", (error) => resume(Effect.die(error)))
    outgoing.flushHeaders()
  })

/** A GET whose client closes the connection after the first bytes. */
export const getBroken = Effect.fnUntraced(function* (url: string) {
  const urlFetch = yield* UrlFetch
  yield* Effect.promise(async () => {
    const reader = (await urlFetch(url, {})).body?.getReader()
    await reader?.read()
    await reader?.cancel()
  })
})
