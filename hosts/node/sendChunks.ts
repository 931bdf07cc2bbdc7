import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { Cookies, HttpEffect, HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { ServerResponse } from "node:http"
import { eachChunkOf, type EachChunk } from "../../core/ports/HostServices.ts"

const write = (answer: ServerResponse, chunk: Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    answer.write(chunk, () => {
      // A request whose client disconnected is interrupted, so nothing follows.
      if (!answer.destroyed) resume(Effect.void)
    })
  })

const send = <E>(answer: ServerResponse, response: HttpServerResponse.HttpServerResponse, eachChunk: EachChunk<E>) =>
  Effect.suspend(() => {
    answer.strictContentLength = true
    answer.writeHead(response.status, response.headers)
    return eachChunk((chunk) => write(answer, chunk))
  }).pipe(
    // Around it nothing is interrupted any more.
    Effect.interruptible,
    Effect.andThen(Effect.sync(() => void answer.end())),
    // The client has the beginning already, so nothing but the end of the connection tells it that there is no more.
    Effect.onError(() => Effect.sync(() => void answer.destroy())),
    Effect.ignore
  )

/** Writes a body that can be read by chunks, and leaves every other one to the framework, which writes none that is ended. */
const sendChunks = (request: HttpServerRequest.HttpServerRequest, response: HttpServerResponse.HttpServerResponse) => {
  const { body, cookies, status } = response
  const eachChunk = body._tag === "Stream" ? eachChunkOf(body.stream) : undefined
  const answer = NodeHttpServerRequest.toServerResponse(request)
  const { "content-length": length, "transfer-encoding": coding } = request.headers
  const isUsual =
    request.method === "GET" &&
    length === undefined &&
    coding === undefined &&
    (status === 200 || status === 206) &&
    Cookies.isEmpty(cookies) &&
    answer instanceof ServerResponse &&
    !answer.destroyed
  return eachChunk === undefined || !isUsual
    ? Effect.succeed(response)
    : Effect.as(send(answer, response, eachChunk), response)
}

/** Sends objects in the chunks in which their engine reads them, without a stream step and a new buffer for each. */
export const layer = HttpRouter.middleware(
  (app) => Effect.tap(app, () => HttpEffect.appendPreResponseHandler(sendChunks)),
  { global: true }
)
