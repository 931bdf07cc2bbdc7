import { createRequest, createRequestListener, sendResponse } from "@remix-run/node-fetch-server"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { closeSoon } from "./closeSoon.ts"
import { bodyAlreadyRead, plainProblem } from "./plainProblem.ts"
import { maxDrained, type Slipway } from "./slipway.ts"

/** The JSON that a middleware such as `express.json()` parsed from the body, in `body`. */
const parsedBody = (request: IncomingMessage): string | undefined => {
  const body: unknown = Reflect.get(request, "body")
  const isJson = /^\s*application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")
  // `express.raw()` and `express.text()` put the bytes and the text there, which aren't to be encoded again.
  if (!isJson || body === undefined || typeof body === "string" || ArrayBuffer.isView(body)) return undefined
  return JSON.stringify(body)
}

/** How long the rest of a refused body may take to arrive, in milliseconds. */
const drainTimeout = 5000

/**
 * Node leaves the rest of a refused body unread, or resets the connection, which loses the answer. So it is read within a bound, and
 * a larger one ends the connection once its client could read the answer. The reference host does the same.
 */
const settleBody = (request: IncomingMessage, response: ServerResponse): void => {
  if (Number(request.headers["content-length"] ?? 0) > maxDrained && !request.complete) {
    response.shouldKeepAlive = false
    request.socket.destroySoon = () => closeSoon(request)
  }
  response.prependOnceListener("finish", () => {
    if (request.complete || request.destroyed) return
    let bytes = 0
    const timer = setTimeout(() => closeSoon(request), drainTimeout).unref()
    request.once("close", () => clearTimeout(timer))
    // The Fetch request pauses it for each chunk that nobody reads.
    request.removeAllListeners("data").on("data", (chunk: Buffer) => {
      const before = bytes
      bytes += chunk.length
      if (before <= maxDrained && bytes > maxDrained) closeSoon(request)
    })
    request.resume()
  })
}

/**
 * Slipway as a listener for `node:http`, and a handler for Express and others that pass on Node's own requests. It opens the engines
 * at once.
 *
 * A middleware may have read the body already. JSON that `express.json()` parsed is read from `request.body`. A PUT needs
 * the original bytes: without them it is answered 500 with the reason, as is any other consumed body.
 */
export const nodeListener = (slipway: Pick<Slipway, "fetch"> & Partial<Pick<Slipway, "ready">>): RequestListener => {
  // The reason is logged, and each request tries again.
  slipway.ready?.catch(() => undefined)
  return (incoming, response) => {
    const clientAddress = incoming.socket.remoteAddress
    const answered = async (request: Request): Promise<Response> => {
      const answer = await slipway.fetch(request, { clientAddress })
      settleBody(incoming, response)
      return answer
    }
    const { readableDidRead: hasRead, readableEnded } = incoming
    if (!hasRead && !readableEnded) return createRequestListener((request) => answered(request))(incoming, response)
    const asked = createRequest(incoming, response)
    const parsed = incoming.method === "PUT" ? undefined : parsedBody(incoming)
    // An empty body is complete, although other code read to its end.
    const body = hasRead ? parsed : null
    if (body === undefined) return void sendResponse(response, plainProblem(asked, bodyAlreadyRead))
    const headers = new Headers(asked.headers)
    // They describe the bytes that were sent, which are consumed.
    if (hasRead) for (const name of ["content-length", "content-encoding"]) headers.delete(name)
    const { method, url } = asked
    // The signal of the request that was read to its end is aborted already.
    const disconnected = new AbortController()
    response.once("close", () => disconnected.abort())
    void answered(new Request(url, { method, headers, body, signal: disconnected.signal }))
      .then((answer) => sendResponse(response, answer))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))))
  }
}
