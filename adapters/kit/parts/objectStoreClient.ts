/** Requests to presigned URLs as a client sends them, whole ones and broken ones. */
import { Context, Effect } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import { text } from "node:stream/consumers"

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
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

export const send = Effect.fnUntraced(function* (
  url: string,
  init: RequestInit & { readonly duplex?: "half" } = {}
): Effect.fn.Return<Answer> {
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
const pieceBytes = 128 * 1024

/** A PUT whose body is sent in pieces, once the server has begun to read it. */
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
          /** Sends the piece at this position, unless the store has answered already. */
          send: (at: number) =>
            Effect.promise(() => {
              const sent = new Promise((resolve) => outgoing.write(body.subarray(at, at + pieceBytes), resolve))
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
 * Sends PUTs of bodies of one length at the same time, a piece of each in turn. The PUT that sends each piece last ends
 * first, because a store that mixes bodies then stores its pieces with the end of another. Answers their statuses.
 */
export const putTogether = Effect.fnUntraced(function* (
  url: string,
  contentType: string,
  bodies: ReadonlyArray<Uint8Array>
) {
  const begun = yield* Effect.forEach(bodies, (body) => beginPut(url, contentType, body), { concurrency: "unbounded" })
  let at = 0
  for (const length = bodies[0]?.byteLength ?? 0; at < length - pieceBytes; at += pieceBytes) {
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
