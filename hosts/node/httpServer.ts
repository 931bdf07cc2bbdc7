import { createServer, IncomingMessage, ServerResponse, type Server } from "node:http"
import { Socket } from "node:net"
import { enforceBodyTimeouts, type BodyTimeouts } from "./bodyTimeouts.ts"
import { InvalidRequest, Unavailable } from "../../core/model/Problem.ts"
import { limitConnections } from "./connections.ts"
import { answerProblem } from "./nodeProblem.ts"

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
 * A Node server that waits for clients no longer than these times. Uploads may take any time (`bodyTimeouts.ts`). It answers
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
