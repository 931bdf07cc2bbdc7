/** A proxy as networks of companies have it: it forwards requests for any address, and connects to any. */
import { createServer, request as send } from "node:http"
import { connect } from "node:net"
import { pipeline } from "node:stream/promises"
import { onTestFinished } from "vitest"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"

/** Starts it until the end of the test. `used` counts the requests and connections by host and port. */
export const startForwardProxy = async () => {
  const used = new Map<string, number>()
  const count = (host: string) => used.set(host, (used.get(host) ?? 0) + 1)
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? "")
    count(target.host)
    const { headers, method = "GET" } = request
    const forwarded = send(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, response).catch(() => response.destroy())
    })
    pipeline(request, forwarded).catch(() => response.destroy())
  })
  server.on("connect", ({ url = "" }, socket) => {
    count(url)
    const { hostname, port } = new URL(`http://${url}`)
    const there = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
      there.pipe(socket).pipe(there)
    })
    for (const one of [there, socket]) one.on("error", () => [there, socket].forEach((each) => each.destroy()))
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, used }
}
