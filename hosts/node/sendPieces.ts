import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { Cookies, HttpEffect, HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { ServerResponse } from "node:http"
import { eachPieceOf, type EachPiece } from "../../core/ports/HostServices.ts"

const write = (answer: ServerResponse, piece: Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    answer.write(piece, () => {
      // A request whose client disconnected is interrupted, so nothing follows.
      if (!answer.destroyed) resume(Effect.void)
    })
  })

const send = <E>(answer: ServerResponse, response: HttpServerResponse.HttpServerResponse, eachPiece: EachPiece<E>) =>
  Effect.suspend(() => {
    answer.strictContentLength = true
    answer.writeHead(response.status, response.headers)
    return eachPiece((piece) => write(answer, piece))
  }).pipe(
    // Around it nothing is interrupted any more.
    Effect.interruptible,
    Effect.andThen(Effect.sync(() => void answer.end())),
    // The client has the beginning already, so nothing but the end of the connection tells it that there is no more.
    Effect.onError(() => Effect.sync(() => void answer.destroy())),
    Effect.ignore
  )

/** Writes a body that can be read by pieces, and leaves every other one to the framework, which writes none that is ended. */
const sendPieces = (request: HttpServerRequest.HttpServerRequest, response: HttpServerResponse.HttpServerResponse) => {
  const { body, cookies, status } = response
  const eachPiece = body._tag === "Stream" ? eachPieceOf(body.stream) : undefined
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
  return eachPiece === undefined || !isUsual
    ? Effect.succeed(response)
    : Effect.as(send(answer, response, eachPiece), response)
}

/** Sends objects in the pieces in which their engine reads them, without a stream step and a new buffer for each. */
export const layer = HttpRouter.middleware(
  (app) => Effect.tap(app, () => HttpEffect.appendPreResponseHandler(sendPieces)),
  { global: true }
)
