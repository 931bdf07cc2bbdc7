import { createRequest, createRequestListener, sendResponse } from "@remix-run/node-fetch-server"
import { Schema } from "effect"
import type { IncomingMessage, RequestListener } from "node:http"
import { Internal } from "../../core/model/Problem.ts"
import type { Slipway } from "./slipway.ts"

const detail = "Other code of this server read the body of the request before Slipway: mount Slipway before it."
const bodyGone = JSON.stringify(Schema.encodeSync(Internal)(new Internal({ detail })))

/** The JSON that a middleware such as `express.json()` parsed from the body, in `body`. */
const parsedBody = (request: IncomingMessage): string | undefined => {
  const body: unknown = Reflect.get(request, "body")
  const isJson = /^\s*application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")
  return isJson && body !== undefined ? JSON.stringify(body) : undefined
}

/**
 * Slipway as a listener for `node:http`, and a handler for Express and others that pass on Node's own requests.
 *
 * A middleware may have read the body already. JSON that `express.json()` parsed is read from `request.body`. A PUT needs
 * the original bytes: without them it is answered 500 with the reason, as is any other consumed body.
 */
export const nodeListener = (slipway: Pick<Slipway, "fetch">): RequestListener => {
  const listener = createRequestListener((request) => slipway.fetch(request))
  return (request, response) => {
    if (!request.readableDidRead) return listener(request, response)
    const asked = createRequest(request, response)
    const body = request.method === "PUT" ? undefined : parsedBody(request)
    if (body === undefined) {
      const headers = { "content-type": "application/problem+json" }
      return void sendResponse(response, new Response(bodyGone, { status: 500, headers }))
    }
    const headers = new Headers(asked.headers)
    // They describe the bytes that were sent, which are consumed.
    for (const name of ["content-length", "content-encoding"]) headers.delete(name)
    const { method, url } = asked
    // The signal of the request that was read to its end is aborted already.
    const disconnected = new AbortController()
    response.once("close", () => disconnected.abort())
    void slipway
      .fetch(new Request(url, { method, headers, body, signal: disconnected.signal }))
      .then((answer) => sendResponse(response, answer))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))))
  }
}
