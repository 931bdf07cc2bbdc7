import { Context, Effect, Layer, Predicate } from "effect"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { NoResponse } from "./Session.ts"
import type { HttpResponse, Json, Manner } from "./Exchange.ts"

/** The codes and names of an error and its causes, outermost first. */
const codesOf = (error: unknown): ReadonlyArray<string> => {
  if (!Predicate.isObject(error)) return []
  const { cause, code, errors, name }: { readonly [Member in string]?: unknown } = {
    cause: Reflect.get(error, "cause"),
    code: Reflect.get(error, "code"),
    errors: Reflect.get(error, "errors"),
    name: Reflect.get(error, "name")
  }
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : []
  return [...[code, name].filter(Predicate.isString), ...inner, ...codesOf(cause)]
}

/** The variables that can name a proxy. */
const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]

/** Where a connection failed, in an error or one of its causes. */
const placesOf = (error: unknown): ReadonlyArray<{ readonly host: unknown; readonly port: unknown }> => {
  if (!Predicate.isObject(error)) return []
  const errors: unknown = Reflect.get(error, "errors")
  const [name, address, port] = ["hostname", "address", "port"].map((member): unknown => Reflect.get(error, member))
  const inner = Array.isArray(errors) ? errors.flatMap(placesOf) : []
  return [{ host: name ?? address, port }, ...inner, ...placesOf(Reflect.get(error, "cause"))]
}

const portOf = ({ port, protocol }: URL): number => Number(port === "" ? (protocol === "https:" ? 443 : 80) : port)

/** The proxy that a connection failed to, as a message names it. */
const failedProxy = (target: URL, error: unknown): string | undefined => {
  for (const variable of proxyVariables) {
    const proxy = URL.parse(process.env[variable] ?? "")
    if (proxy === null) continue
    const isMet = placesOf(error).some(
      ({ host, port }) =>
        host === proxy.hostname || (port === portOf(proxy) && port !== portOf(target) && host !== target.hostname)
    )
    if (isMet && proxy.host !== target.host) return `${proxy.origin} (the proxy in ${variable})`
  }
  return undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A message for each kind of failure. The first that matches is used. */
const kinds: ReadonlyArray<readonly [codes: RegExp, say: (origin: string, message: string) => string]> = [
  [
    /^CERT_HAS_EXPIRED$/,
    (origin) =>
      `The certificate of ${origin}, or of its authority, has expired; renew it, or check the clock of this machine`
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, (origin) => `The certificate of ${origin} is for another name; check the URL`],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET|DECRYPT)/,
    (origin, message) =>
      `The certificate of ${origin} is not trusted (${message}); if an authority of your own signed it, name its file in NODE_EXTRA_CA_CERTS`
  ],
  [/^(?:ERR_SSL|EPROTO|ERR_TLS)/, (origin) => `${origin} does not speak TLS as https needs it`],
  [/^ECONNREFUSED$/, (origin) => `Nothing listens at ${origin}: the connection was refused`],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_\w+)$/, (origin) => `The name in ${origin} can't be resolved`],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, (origin) => `There is no way from here to ${origin}`],
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, (origin) => `No connection to ${origin} came about in time`],
  [
    /^(?:HPE_\w+|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)$/,
    (origin, message) => `What answers at ${origin} does not speak HTTP (${message})`
  ],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, (origin) => `${origin} gave another length than it said and ended there`],
  [
    /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_CLOSED|ECONNABORTED)$/,
    (origin) => `${origin} closed the connection without a whole answer`
  ]
]

/** Why a request to this URL failed, in one sentence. */
export const noResponse = (url: string, error: unknown): NoResponse => {
  const target = new URL(url)
  const origin = failedProxy(target, error) ?? target.origin
  const codes = codesOf(error)
  const kind = kinds.find(([pattern]) => codes.some((code) => pattern.test(code)))
  const reason =
    kind === undefined ? `${origin} gave no answer (${messageOf(error)})` : kind[1](origin, messageOf(error))
  return new NoResponse({ url, reason: `${reason}.` })
}

/** The message for a request that got no answer within this time. */
const tooLate = (url: string, timeoutMs: number): NoResponse =>
  new NoResponse({ url, reason: `${new URL(url).origin} gave no answer within ${timeoutMs / 1000} seconds.` })

/** How often a request is repeated, and the greatest total wait in milliseconds. */
const maxRetries = { times: 5, waitMs: 30_000 }

const waitOf = (header: string, now: number): number | undefined => {
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/**
 * The wait in milliseconds before a request is repeated: what `Retry-After` of a 429 or 503 says, or after a 429
 * without it one second, then two, then four. `undefined` when the request isn't repeated.
 */
export const waitBefore = (
  { headers, status }: HttpResponse,
  retries: number,
  waitedMs: number,
  now: number
): number | undefined => {
  if ((status !== 429 && status !== 503) || retries >= maxRetries.times) return undefined
  const header = headers["retry-after"]
  const waitMs = header === undefined ? (status === 429 ? 1000 * 2 ** retries : undefined) : waitOf(header, now)
  return waitMs === undefined || waitedMs + waitMs > maxRetries.waitMs ? undefined : waitMs
}

export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string | undefined
  readonly timeoutMs: number
  readonly manner?: Manner | undefined
}

/** The greatest number of bytes that are read of an answer. */
const maxResponseBytes = 4 * 1024 ** 2
/** How many characters are kept of an answer that isn't JSON. */
const maxOfText = 16 * 1024

/** The greatest nesting of an answer. A deeper one could exhaust the stack of the code that reads it. */
const deepest = 100

const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (found === "[" || found === "{") depth += 1
    if (found === "]" || found === "}") depth -= 1
    if (depth > deepest) return true
  }
  return false
}

const parse = (text: string): Json | undefined => {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer of this status, headers and text. */
export const toResponse = (status: number, headers: Readonly<Record<string, string>>, text: string): HttpResponse => {
  const json = parse(text)
  return { status, headers, text: json === undefined ? text.slice(0, maxOfText) : text, json }
}

export const read = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  const texts: Array<string> = []
  let size = 0
  for await (const chunk of body) {
    texts.push(decoder.decode(chunk, { stream: true }))
    size += chunk.byteLength
    if (size > maxResponseBytes) break
  }
  return texts.join("")
}

const decoders = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate
}

/** A body without the encoding that its header names. */
export const decoded = (body: Readable, encoding: unknown): AsyncIterable<Uint8Array> => {
  const [, decoder] = Object.entries(decoders).find(([name]) => name === encoding) ?? []
  return decoder === undefined ? body : body.pipe(decoder())
}

/** A body in chunks, the first of them small. */
async function* chunksOf(body: Uint8Array | string): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  for (let from = 0, size = 7; from < bytes.byteLength; from += size, size = 4093) {
    yield bytes.subarray(from, from + size)
  }
}

const isReset = (error: unknown): boolean =>
  codesOf(error).some((code) => /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/.test(code))

/** Whether the connection that failed had brought an answer before. */
const isReused = (error: unknown): boolean => {
  const socket: unknown = Predicate.isObject(error) ? Reflect.get(error, "socket") : undefined
  return Predicate.isObject(socket) && Number(Reflect.get(socket, "bytesRead")) > 0
}

/** How long a connection that the suite ended early is read, in milliseconds. */
const socketMs = 2000

/** Sends a request on a socket of its own. The answer is the first that comes; of a connection that ends without one, 0. */
const onSocket = (
  { body = "", headers, method, timeoutMs, url }: Outgoing,
  how: NonNullable<Manner["socket"]>
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { host, hostname, pathname, protocol, search } = new URL(url)
    const target = new URL(url)
    const to = { host: hostname.replaceAll(/[[\]]/g, ""), port: portOf(target) }
    const socket = protocol === "https:" ? connectTls({ ...to, servername: to.host }) : connect(to)
    const bytes = Buffer.from(body)
    const lines = Object.entries({ host, ...headers, "content-length": String(bytes.byteLength) })
    const head = `${method} ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
    let said = ""
    const end = () => {
      socket.destroy()
      const [, status, text = ""] = /^HTTP\/1\.\d (\d{3})[^]*?\r\n\r\n([^]*)/.exec(said) ?? []
      resolve(toResponse(Number(status ?? 0), {}, text))
    }
    socket.setTimeout(how === "pipelined" ? timeoutMs : socketMs, end)
    socket.on("error", (error) => (Reflect.get(error, "syscall") === "connect" ? reject(error) : end()))
    socket.on("close", end)
    socket.on("data", (data: Buffer) => {
      said += data.toString("latin1")
      if (/^HTTP\/1\.\d (?!1\d\d)\d{3}[^]*?\r\n\r\n/.test(said)) end()
    })
    if (how === "pipelined") socket.write(Buffer.concat([Buffer.from(head), bytes, Buffer.from(head), bytes]))
    else {
      const cut = how === "short" ? bytes.byteLength - 1 : Math.floor(bytes.byteLength / 2)
      socket.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, cut)]), () =>
        how === "short" ? socket.end() : setTimeout(() => socket.resetAndDestroy?.() ?? socket.destroy(), 20)
      )
    }
  })

/** Loaded on first use: reading reports doesn't need this package, and the error for a missing one names it. */
const undici = Effect.promise(() =>
  import("@effect/platform-node/Undici").then(
    // Its named exports are lost where the program is bundled.
    (module) => module.default,
    (cause: unknown) => {
      throw new Error("Checking over HTTP needs a package: npm i @effect/platform-node@4.1.0", { cause })
    }
  )
)

/**
 * Sends requests over HTTP unchanged: it follows no redirect, repeats nothing and adds only the headers that HTTP
 * requires. An answer is read to its end, up to 4 MiB. Of an answer that isn't JSON or is nested too deeply, the first
 * 16 Ki characters are kept.
 */
export class Transport extends Context.Service<
  Transport,
  { readonly send: (request: Outgoing) => Effect.Effect<HttpResponse, NoResponse> }
>()("slipway/conformance/session/transport/Transport") {
  /** The transport on its own connections, through the proxy that `HTTPS_PROXY` and `HTTP_PROXY` name, if any. */
  static readonly layer = Layer.effect(
    Transport,
    Effect.gen(function* () {
      const { EnvHttpProxyAgent } = yield* undici
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new EnvHttpProxyAgent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0 })),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const send = (request: Outgoing) => {
        const { body, headers, manner = {}, method, timeoutMs, url } = request
        const { origin, pathname, search } = new URL(url)
        const once = async (signal: AbortSignal) => {
          if (manner.socket !== undefined) return onSocket(request, manner.socket)
          const answer = await agent.request({
            origin,
            path: pathname + search,
            method,
            headers:
              manner.capitals === true
                ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
                : headers,
            body: body === undefined ? null : manner.chunked === true ? Readable.from(chunksOf(body)) : body,
            ...(manner.close === true ? { reset: true } : {}),
            signal
          })
          const said = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const)
          const text = await read(
            method === "HEAD" ? answer.body : decoded(answer.body, answer.headers["content-encoding"])
          )
          return toResponse(answer.statusCode, Object.fromEntries(said), text)
        }
        /** A server may close an idle connection while the next request is on its way there, and then several. */
        const again = (signal: AbortSignal, left: number): Promise<HttpResponse> =>
          once(signal).catch((error: unknown) => {
            if (left === 0 || !isReset(error) || (!/^(?:GET|HEAD)$/.test(method) && !isReused(error))) throw error
            return again(signal, left - 1)
          })
        /** A server that wants a length refuses what has none before it has read it, and may close the connection: 0. */
        const tolerant = async (signal: AbortSignal) =>
          again(signal, 3).catch((error: unknown) => {
            if (manner.chunked !== true || !isReset(error)) throw error
            return toResponse(0, {}, "")
          })
        return Effect.tryPromise({
          try: tolerant,
          catch: (error) => noResponse(url, error)
        }).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(tooLate(url, timeoutMs)) }))
      }
      return Transport.of({ send })
    })
  )
}
