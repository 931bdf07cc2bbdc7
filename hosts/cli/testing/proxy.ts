/** A proxy before one server or several, for tests that see, or decide, what becomes of a request on its way. */
import { once } from "node:events"
import { createServer, request as send } from "node:http"
import type { IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { onTestFinished } from "vitest"

/** The answer of a server; `undefined` when nobody listens there. Rejects when one that listened goes away. */
const ask = (target: string, { headers, method, url }: IncomingMessage, body: Buffer) =>
  new Promise<IncomingMessage | undefined>((resolve, reject) => {
    const asked = send(new URL(url ?? "/", target), { method: method ?? "GET", headers })
    asked.once("response", resolve)
    asked.once("error", (error) =>
      "code" in error && error.code === "ECONNREFUSED" ? resolve(undefined) : reject(error)
    )
    asked.end(body)
  })

/**
 * Starts a proxy and answers its URL; it ends with the test. `route` is asked with each request for the servers to try, in
 * their order: the first that listens gets it, with the headers as they came. When none does, or it goes away before it
 * answers, the client gets 502.
 */
export const startProxy = async (route: (request: IncomingMessage) => ReadonlyArray<string>): Promise<string> => {
  const server = createServer((request, response) => {
    const forward = async () => {
      const body = await buffer(request)
      for (const target of route(request)) {
        const answer = await ask(target, request, body)
        if (answer === undefined) continue
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        return pipeline(answer, response)
      }
      response.writeHead(502).end()
    }
    forward().catch(() => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
  return `http://127.0.0.1:${address.port}`
}

/** Sends each request to the next of its hosts. */
export interface Balancer {
  readonly url: string
  /** The hosts to send requests to, from now on. */
  readonly serve: (hosts: ReadonlyArray<string>) => void
  /** Which host got each request, in their order, as `METHOD path`. */
  readonly sent: ReadonlyArray<{ readonly host: string; readonly what: string }>
}

/** Starts a load balancer, as one stands before several hosts. */
export const startBalancer = async (): Promise<Balancer> => {
  let hosts: ReadonlyArray<string> = []
  const sent: Array<{ readonly host: string; readonly what: string }> = []
  const url = await startProxy(({ method, url }) => {
    const turn = sent.length % Math.max(hosts.length, 1)
    const inTurn = [...hosts.slice(turn), ...hosts.slice(0, turn)]
    sent.push({ host: inTurn[0] ?? "", what: `${method} ${url}` })
    return inTurn
  })
  return {
    url,
    sent,
    serve: (next) => {
      hosts = next
    }
  }
}
