import { createServer } from "node:http"
import type { Server } from "node:http"
import type { Socket } from "node:net"

/**
 * A Node server that takes uploads of any length, however slow (headers have a minute), and whose `close` ends at once
 * the connections on which no request is in flight, also those that never sent one.
 */
export const makeServer = (): Server => {
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 })
  const idle = new Set<Socket>()
  server.on("connection", (socket) => {
    idle.add(socket)
    socket.once("close", () => idle.delete(socket))
  })
  const inFlight = (
    { socket }: { readonly socket: Socket },
    response: { once: (event: "close", f: () => void) => unknown }
  ) => {
    idle.delete(socket)
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket)
    })
  }
  server.on("request", inFlight)
  server.on("checkContinue", inFlight)
  const close = server.close.bind(server)
  server.close = (done) => {
    for (const socket of idle) socket.destroy()
    return close(done)
  }
  return server
}
