import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer } from "node:http"

const portOf = (address: { readonly port: number } | string | null): number =>
  typeof address === "object" && address !== null ? address.port : 0

/** Another server that accepts everything, and a record of what reached it: requests, connections and UDP packets. */
export const outside = Effect.acquireRelease(
  Effect.promise(async () => {
    const reached: Array<string> = []
    const server = createServer((request, response) => {
      reached.push(`${request.method} ${request.url}`)
      response.setHeader("access-control-allow-origin", "*")
      response.setHeader("access-control-allow-private-network", "true")
      response.end("// reached")
    })
    server.on("connection", () => reached.push("a connection"))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const port = portOf(server.address())
    const packets = createSocket("udp4")
    packets.on("message", () => reached.push("a packet"))
    packets.bind(port, "127.0.0.1")
    await once(packets, "listening")
    return { server, packets, reached, url: `http://127.0.0.1:${port}/` }
  }),
  ({ packets, server }) =>
    Effect.promise(async () => {
      packets.close()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    })
)
