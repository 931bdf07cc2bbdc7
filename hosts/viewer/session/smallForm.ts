import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import type { HttpServerError, HttpServerResponse } from "effect/http"
import { PayloadTooLarge } from "../../../core/model/Problem.ts"

/** More than any form of the viewer takes: a key, or a path to go on to, each character of it as three. */
const largestForm = 8 * 1024
const mostFields = 16

const tooLarge = new PayloadTooLarge({ detail: "The form is larger than this page accepts." })

const isTooLarge = ({ reason }: HttpServerError.HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

const ampersand = 0x26

/**
 * Does what a form asks for, unless the form is larger or has more fields than any of the viewer's: that is
 * `PayloadTooLarge`. It is read no further than that, and nothing of it is decoded.
 */
export const withSmallForm = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (Number(request.headers["content-length"]) > largestForm) return yield* tooLarge
    const body = yield* request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(largestForm)),
      Effect.catch((error) => (isTooLarge(error) ? Effect.fail(tooLarge) : Effect.die(error)))
    )
    // The request keeps the body that was read, and the form is decoded from that.
    const separators = new Uint8Array(body).reduce((count, byte) => (byte === ampersand ? count + 1 : count), 0)
    return separators < mostFields ? yield* app : yield* tooLarge
  })
