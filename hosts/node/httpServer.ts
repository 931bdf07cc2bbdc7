import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { answerStarting } from "./starting.ts"

/**
 * A Node server that takes uploads of any length, however slow (headers have a minute), answers 503 as long as nobody
 * else listens to requests, and whose `close` ends at once the connections on which no request is in flight, also those
 * that never sent one.
 */
export const makeServer = (): Server => {
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 })
  const idle = new Set<Socket>()
  server.on("connection", (socket) => {
    idle.add(socket)
    socket.once("close", () => idle.delete(socket))
  })
  const begin = (event: "request" | "checkContinue") => (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    idle.delete(socket)
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket)
    })
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
