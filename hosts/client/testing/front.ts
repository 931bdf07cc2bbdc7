import { once } from "node:events"
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
  type ServerResponse
} from "node:http"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"

/** What a front does with one request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

/** A server before a host: it passes requests on, except those with a configured behavior. */
export interface FaultProxy {
  readonly url: string
  /** Methods and paths of what was asked, and their idempotency keys. */
  readonly asked: ReadonlyArray<{ readonly call: string; readonly key: string | undefined }>
  /** How the next requests of a method go, one after the other. */
  readonly next: (method: string, ...behaviours: ReadonlyArray<Behaviour>) => void
  /** Passes a request on, as without a behaviour. */
  readonly pass: Behaviour
  /** Passes a request on, and cuts the connection in the middle of its answer. */
  readonly cutWhileAnswering: Behaviour
  readonly close: () => Promise<void>
}

/** Never answers. */
export const hang: Behaviour = () => {}

/** Reads the first bytes, and cuts the connection. */
export const cutWhileReading: Behaviour = (request) => void request.once("data", () => request.socket.destroy())

/** Reads all of it and loses it, in the belief that it was stored. */
export const lose: Behaviour = (request, response) => void request.resume().once("end", () => response.end())

/** Refuses, with these headers. */
export const refuse =
  (status: number, headers: Record<string, string> = {}, body = ""): Behaviour =>
  (request, response) =>
    void request.resume().once("end", () => response.writeHead(status, headers).end(body))

/** Starts a front before the host at a URL. */
export const startFaultProxy = async (target: string): Promise<FaultProxy> => {
  const asked: Array<FaultProxy["asked"][number]> = []
  const queues = new Map<string, Array<Behaviour>>()
  let url = ""

  /** Passes a request on, and begins its answer, with the front's URL in place of the host's own; gives its body. */
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<string> => {
    const { headers, method = "", url: path = "" } = request
    const passed = httpRequest(target + path, { method, headers: { ...headers, host: new URL(target).host } })
    const answered = once(passed, "response")
    // A host that is away fails both, and no failure may be left unhandled.
    await Promise.all([answered, pipeline(request, passed)])
    const [answer]: Array<IncomingMessage> = await answered
    if (answer === undefined) throw new Error("a response has an answer")
    const body = (await text(answer)).replaceAll(target, url)
    const { "content-length": _, "transfer-encoding": __, ...rest } = answer.headers
    response.writeHead(answer.statusCode ?? 0, { ...rest, "content-length": Buffer.byteLength(body) })
    return body
  }
  const pass: Behaviour = (request, response) =>
    void forward(request, response).then(
      (body) => response.end(body),
      () => response.destroy()
    )
  const listener: RequestListener = (request, response) => {
    const { headers, method = "", url: path = "" } = request
    const key = headers["idempotency-key"]
    asked.push({ call: `${method} ${path.replace(/[?].*/, "")}`, key: typeof key === "string" ? key : undefined })
    const behaviour = queues.get(method)?.shift() ?? pass
    behaviour(request, response)
  }
  const server = createServer(listener)
  url = `http://127.0.0.1:${await listen(server)}`
  return {
    url,
    asked,
    pass,
    cutWhileAnswering: (request, response) =>
      void forward(request, response).then(
        (body) => response.write(body.slice(0, 20), () => response.destroy()),
        () => response.destroy()
      ),
    next: (method, ...behaviours) => void queues.set(method, [...behaviours]),
    close: async () => {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
