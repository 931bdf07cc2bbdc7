import { once } from "node:events"
import { createServer, request as httpRequest, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"

/** What went through a counter. */
export interface Counted {
  readonly requests: number
  /** Of the bodies of PUTs alone. */
  readonly putBytes: number
  /** How often the bodies of all requests have what is looked for. */
  readonly found: number
}

/** A server before a host, which passes everything on, counts, and looks for a text in what is sent. */
export const startCounter = async (target: string, wanted: RegExp) => {
  let found = 0
  let requests = 0
  let putBytes = 0
  let url = ""
  const server = createServer(async (request, response) => {
    requests += 1
    const body = await buffer(request)
    if (request.method === "PUT") putBytes += body.byteLength
    found += `${request.url} ${body.toString("latin1")}`.match(wanted)?.length ?? 0
    const headers = { ...request.headers, host: new URL(target).host }
    const passed = httpRequest(target + (request.url ?? ""), { method: request.method ?? "GET", headers })
    passed.end(body)
    const [answer]: Array<IncomingMessage> = await once(passed, "response")
    if (answer === undefined) throw new Error("a response has an answer")
    // The host tells its own address, which would lead past this counter.
    const text = String(await buffer(answer)).replaceAll(target, url)
    response
      .writeHead(answer.statusCode ?? 0, { "content-type": answer.headers["content-type"] ?? "text/plain" })
      .end(text)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  return {
    url,
    /** What went through since it was last asked. */
    counted: (): Counted => {
      const seen = { requests, putBytes, found }
      requests = putBytes = found = 0
      return seen
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
