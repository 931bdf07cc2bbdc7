import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { boundArrival, type ArrivalTimes } from "./arrival.ts"
import { answerStarting } from "./starting.ts"

/** How long a server waits for its clients, in milliseconds. */
export interface ClientTimes extends ArrivalTimes {
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

const usual: ClientTimes = { headers: 60_000, body: 30_000, upload: 30_000, reading: 120_000, keepAlive }

/**
 * A Node server that waits for clients no longer than these times. Uploads may take any time (`arrival.ts`). It answers
 * 503 until a handler for requests is set, and upgrades no connection to another protocol. `close` immediately ends the
 * connections without a request in flight, including those that never sent one.
 */
export const makeServer = (given: Partial<ClientTimes> = {}): Server => {
  const times = { ...usual, ...given }
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: times.headers,
    keepAliveTimeout: times.keepAlive,
    connectionsCheckingInterval: Math.min(times.headers, 30_000),
    // None of these limits apply to an upgraded connection.
    shouldUpgradeCallback: () => false
  })
  const idle = new Set<Socket>()
  server.on("connection", (socket) => {
    idle.add(socket)
    socket.once("close", () => idle.delete(socket))
  })
  // Nothing was sent or received for this long. If no answer waits to be read, the host is still working and the client
  // isn't at fault.
  server.setTimeout(times.reading, (socket: Socket) => {
    if (socket.writableLength > 0 || idle.has(socket)) socket.destroy()
  })
  const begin = (event: "request" | "checkContinue") => (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    idle.delete(socket)
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket)
    })
    boundArrival(request, response, times)
    if (server.listenerCount(event) === 1) answerStarting(request, response)
  }
  server.on("request", begin("request"))
  server.on("checkContinue", begin("checkContinue"))
  const close = server.close.bind(server)
  server.close = (done) => {
    for (const socket of idle) socket.destroy()
    return close(done)
  }
  return server
}
