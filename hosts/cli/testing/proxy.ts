/** A proxy before one or several servers, for tests that watch requests or decide where they go. */
import { createServer, request as send, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { onTestFinished } from "vitest"
import { listen } from "../../client/testing/listen.ts"

/** The answer of a server; `undefined` if nothing listens there. Rejects if the server disappears before it answers. */
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
 * Starts a proxy and returns its URL; it is closed at the end of the test. For each request, `route` returns the
 * servers to try in order. The first that listens gets the request with its original headers. If none listens, or the
 * server disappears before it answers, the client gets 502.
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
  return listen(server)
}

/** Sends each request to the next of its hosts. */
export interface Balancer {
  readonly url: string
  /** Replaces the hosts that get the requests. */
  readonly serve: (hosts: ReadonlyArray<string>) => void
  /** The requests that each host got, in order, as `METHOD path`. */
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
