import { Option, Schema } from "effect"
import { ProblemDetails } from "effect/http"
import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { objectsPath } from "../../adapters/signed-urls/SignedUrls.ts"
import { InvalidRequest, problemClass, Unavailable } from "../../core/model/Problem.ts"
import { canonicalAddress, clientOf, usableRequestId } from "../http/requestContext.ts"
import { closeSoon } from "../http/closeSoon.ts"

/** How long a server waits for its clients, in milliseconds. */
export interface ClientTimeouts extends BodyTimeouts {
  /** For all headers of a request, measured from its first byte or, for the first request, from the connection. */
  readonly headers: number
  /** For a client to continue reading an answer that is ready to be sent. */
  readonly reading: number
  /** For the next request on a connection after the first one. */
  readonly keepAlive: number
}

/**
 * Longer than the 60 seconds for which balancers usually keep a connection: if the server closes it first, the balancer
 * may lose a request.
 */
const keepAlive = 65_000

const usual: ClientTimeouts = { headers: 60_000, body: 30_000, upload: 30_000, reading: 120_000, keepAlive }

/** While a host already listens but still opens its engines. */
const starting = new Unavailable({ detail: "The host is starting. Try again in a moment." })

/** A server that calls a function with each request before its listeners. */
export interface HostServer extends Server {
  begins: (request: IncomingMessage, response: ServerResponse) => void
}

/** Whether a request has several `Host` headers. A proxy may use another one than Node, which keeps the first. */
const hasSeveralHosts = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.length === 4 && text.toLowerCase() === "host").length > 1

const severalHosts = new InvalidRequest({
  detail: "The request has more than one Host header.",
  issues: [{ path: "host", message: "must be sent once" }]
})

/** Whether a client reads a stream of events (Server-Sent Events). */
const readsEvents = ({ headers }: IncomingMessage): boolean => headers.accept === "text/event-stream"

/**
 * A Node server that waits for clients no longer than these times. Uploads may take any time. It answers
 * 503 until a handler for requests is set, 400 to a request with several `Host` headers, and upgrades no connection to another protocol. `close` immediately ends the
 * connections without a request in flight, including those that never sent one, and streams of events. A client address has at most `maxClientConnections` at
 * once.
 */
export const makeServer = (given: Partial<ClientTimeouts> = {}, maxClientConnections = Infinity): HostServer => {
  const times = { ...usual, ...given }
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: times.headers,
    keepAliveTimeout: times.keepAlive,
    connectionsCheckingInterval: Math.min(times.headers, 30_000),
    // None of these limits apply to an upgraded connection.
    shouldUpgradeCallback: () => false
  })
  const begins: HostServer["begins"] = () => undefined
  const host = Object.assign(server, { begins })
  const idle = new Set<Socket>()
  const streaming = new Set<ServerResponse>()
  const hasRoom = limitConnections(maxClientConnections)
  server.on("connection", (socket) => {
    idle.add(socket)
    socket.once("close", () => idle.delete(socket))
  })
  // Nothing was sent or received for this long. If no answer waits to be read, the host is still working and the client
  // isn't at fault.
  server.setTimeout(times.reading, (socket: Socket) => {
    if (socket.writableLength > 0 || idle.has(socket)) socket.destroy()
  })
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    idle.delete(socket)
    if (readsEvents(request)) streaming.add(response)
    response.once("close", () => {
      streaming.delete(response)
      if (!socket.destroyed) idle.add(socket)
    })
    // Its reader may have stopped when the client closes the connection: an error that nobody handles would end the process.
    request.on("error", () => undefined)
    enforceBodyTimeouts(request, response, times)
    host.begins(request, response)
  }
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...given: ReadonlyArray<unknown>) => {
    const [request, response] = given
    if (event === "connection" && request instanceof Socket && !hasRoom(request)) return true
    if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) return emit(event, ...given)
    begin(request, response)
    if (hasSeveralHosts(request)) answerProblem(request, response, severalHosts)
    else if (!emit(event, request, response)) answerProblem(request, response, starting, { "retry-after": "1" })
    return true
  }
  const close = server.close.bind(server)
  server.close = (done) => {
    for (const socket of idle) socket.destroy()
    // The client connects again, to another host or later.
    for (const response of streaming) response.destroy()
    return close(done)
  }
  return host
}

/** How long the bodies of requests may take to arrive, in milliseconds. */
interface BodyTimeouts {
  /** A whole body, unless it is an upload. */
  readonly body: number
  /** The next {@link minUploadBytes} of an upload. */
  readonly upload: number
}

/**
 * The minimum that an upload has to send in each period. An upload may be large and its connection slow, so
 * only a client that sends less than this counts as disconnected or malicious.
 */
export const minUploadBytes = 1024

/** Answers 408, unless the answer has begun already, and closes the connection. */
const giveUp = (request: IncomingMessage, response: ServerResponse, detail: string): void => {
  if (response.headersSent) return void request.destroy()
  // After the answer Node doesn't end the request, so it is destroyed to reject the pending read of its body.
  request.socket.once("close", () => request.destroy())
  request.socket.destroySoon = () => closeSoon(request)
  answerProblem(request, response, new RequestTimeout({ detail }))
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const isUpload = ({ method, url = "" }: IncomingMessage): boolean => method === "PUT" && url.startsWith(objectsPath)

/**
 * Whether the server is waiting for the client, and not the client for the server: the body is being read, and everything
 * that came has been read.
 */
const isAwaited = ({ readableFlowing, readableLength }: IncomingMessage): boolean =>
  readableFlowing !== null && readableLength === 0

/**
 * Limits the time in which the body of a request has to arrive; after it, the answer is 408 and the connection is closed. A
 * PUT to a signed URL may take any time, as long as bytes keep coming. Every other body has to be complete in time, even if
 * the answer did not wait for it.
 */
const enforceBodyTimeouts = (request: IncomingMessage, response: ServerResponse, timeouts: BodyTimeouts): void => {
  if (!hasBody(request)) return
  const { socket } = request
  let seen = socket.bytesRead
  let awaited = false

  const isTooSlow = (): boolean => {
    const came = socket.bytesRead - seen
    seen = socket.bytesRead
    // Only if the server waited at both checks: bytes it began to wait for just now had no time to arrive.
    const wasAwaited = awaited
    awaited = isAwaited(request)
    return wasAwaited && awaited && came < minUploadBytes
  }
  const [everyMillis, isOver, detail] = isUpload(request)
    ? [timeouts.upload, isTooSlow, `Less than ${minUploadBytes} bytes arrived in ${timeouts.upload / 1000} seconds.`]
    : [timeouts.body, () => true, `The body was not complete after ${timeouts.body / 1000} seconds.`]

  const timer = setInterval(() => {
    const isArriving = !request.complete && !socket.destroyed
    if (isArriving && !isOver()) return
    clearInterval(timer)
    if (isArriving) giveUp(request, response, detail)
  }, everyMillis)
  timer.unref()
  request.once("close", () => clearInterval(timer))
}

const text = "This address has too many open connections.\n"

const refusal = [
  "HTTP/1.1 503 Service Unavailable",
  "content-type: text/plain",
  `content-length: ${text.length}`,
  "retry-after: 1",
  "connection: close",
  "",
  text
].join("\r\n")

/** How long a refused client may take to read the answer, in milliseconds. */
const closeTimeoutMs = 1000

/**
 * Counts the open connections of each client address, and returns whether a new one is allowed. One above the bound is
 * answered 503 before it is read, and closed.
 */
const limitConnections = (most: number): ((socket: Socket) => boolean) => {
  const open = new Map<string, number>()
  return (socket) => {
    const client = clientOf(canonicalAddress(Option.fromUndefinedOr(socket.remoteAddress)))
    if (client === undefined || most === Infinity) return true
    const before = open.get(client) ?? 0
    if (before >= most) {
      socket.on("error", () => undefined)
      // What the client sends is read and dropped, since closing before that would take the answer back.
      socket.resume().once("end", () => socket.destroy())
      socket.setTimeout(closeTimeoutMs, () => socket.destroy())
      socket.end(refusal)
      return false
    }
    open.set(client, before + 1)
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
    return true
  }
}

/** The body of the request took too long to arrive. */
export class RequestTimeout extends problemClass<RequestTimeout>()(
  "RequestTimeout",
  408,
  "request_timeout",
  "Request timeout",
  {}
) {}

/** The problems that the server answers before a route gets the request, or when no route can continue with it. */
const NodeProblem = Schema.Union([InvalidRequest, RequestTimeout, Unavailable])
const encode = Schema.encodeSync(NodeProblem)

/** Answers a request of Node's server with the same problem as a route would, then closes the connection. */
const answerProblem = (
  { headers }: IncomingMessage,
  response: ServerResponse,
  problem: typeof NodeProblem.Type,
  more: Readonly<Record<string, string>> = {}
): void => {
  const requestId = usableRequestId([headers["x-request-id"]].flat()[0]) ?? crypto.randomUUID()
  const body = JSON.stringify({ ...encode(problem), requestId })
  response.writeHead(problem.status, {
    "content-type": ProblemDetails.contentType,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...more,
    connection: "close"
  })
  response.end(body)
}
