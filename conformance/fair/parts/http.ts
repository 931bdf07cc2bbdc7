import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"

/** A request, read to its end. */
export interface Ask {
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A refused request. Each host answers it in its own shape. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** `handle`, with every Refusal answered by `refuse`. */
export const refusing =
  (handle: (ask: Ask) => Answer, refuse: (refusal: Refusal, ask: Ask) => Answer) =>
  (ask: Ask): Answer => {
    try {
      return handle(ask)
    } catch (cause) {
      if (cause instanceof Refusal) return refuse(cause, ask)
      throw cause
    }
  }

/** A port of this machine that answers HTTP. */
export interface Origin {
  /** Without a slash at its end. */
  readonly url: string
  /** Sets the handler. Call it before anybody knows the URL. */
  readonly answer: (handle: (ask: Ask) => Answer) => void
  readonly stop: () => Promise<void>
}

/** Begins to listen somewhere. */
export type Listen = () => Promise<Origin>

/** A defect of the host is answered with 500 and doesn't end its process. */
export const attempt = (handle: () => Answer): Answer => {
  try {
    return handle()
  } catch (fault) {
    return { status: 500, body: `The host has a fault: ${fault instanceof Error ? fault.stack : String(fault)}` }
  }
}

/** Listens on a free port. */
export const listen: Listen = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0

  const answer = (handle: (ask: Ask) => Answer) =>
    void server.on("request", (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      // The client has closed the connection.
      request.on("error", () => {})
      request.on("end", () => {
        const { headers, method = "", url = "" } = request
        const [path = "", ...query] = url.split("?")
        const search = new URLSearchParams(query.join("?"))
        const said = attempt(() => handle({ method, path, query: search, headers, body: Buffer.concat(chunks) }))
        response.writeHead(said.status, said.headers).end(said.body)
      })
    })

  const stop = async () => {
    const closed = once(server, "close")
    server.close()
    server.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${port}`, answer, stop }
}
