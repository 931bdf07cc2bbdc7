import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { boundArrival } from "./arrival.ts"
import type { ArrivalTimes } from "./arrival.ts"
import { answerStarting } from "./starting.ts"

/** How long a server waits for its clients, in milliseconds. */
export interface ClientTimes extends ArrivalTimes {
  /** For the whole headers of a request, from its first byte or, at first, from the connection. */
  readonly headers: number
  /** For a client to read on, while an answer waits to be sent. */
  readonly reading: number
  /** For the next request on a connection that has had one. */
  readonly keepAlive: number
}

/** Longer than balancers usually keep a connection, 60 seconds: on one that they think is open, a request is lost. */
const keepAlive = 65_000

const usual: ClientTimes = { headers: 60_000, body: 30_000, upload: 30_000, reading: 120_000, keepAlive }

/**
 * A Node server that waits for a client no longer than these times say, takes uploads of any length, however slow
 * (`arrival.ts`), answers 503 as long as nobody else listens to requests, speaks nothing but HTTP on a connection, and
 * whose `close` ends at once the connections on which no request is in flight, also those that never sent one.
 */
export const makeServer = (given: Partial<ClientTimes> = {}): Server => {
  const times = { ...usual, ...given }
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: times.headers,
    keepAliveTimeout: times.keepAlive,
    connectionsCheckingInterval: Math.min(times.headers, 30_000),
    // On an upgraded connection none of these times would hold.
    shouldUpgradeCallback: () => false
  })
  const idle = new Set<Socket>()
  server.on("connection", (socket) => {
    idle.add(socket)
    socket.once("close", () => idle.delete(socket))
  })
  // Nothing moved for so long. Where no answer waits to be read, the host is at work, and it isn't the client's fault.
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
