import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { PayloadTooLarge } from "../../../core/model/Problem.ts"
import { CurrentPermit } from "../../../core/service/RequestScheduler.ts"
import { isForeign } from "../access/site.ts"
import { foreignPage, pageContext } from "../ui/layout.ts"

/** More than any form of the viewer needs: a key or a path, with each character percent-encoded as three. */
const largestForm = 8 * 1024
const maxFields = 16

const tooLarge = new PayloadTooLarge({ detail: "The form is larger than this page accepts." })

const isTooLarge = ({ reason }: HttpServerError.HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

const ampersand = 0x26

/**
 * Handles a form, or fails with `PayloadTooLarge` if it is larger or has more fields than any of the viewer's. It reads
 * no further than that limit, and decodes nothing of such a form.
 */
export const withSmallForm = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (Number(request.headers["content-length"]) > largestForm) return yield* tooLarge
    const { whileReading } = yield* CurrentPermit
    const body = yield* request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(largestForm)),
      whileReading,
      Effect.catch((error) => (isTooLarge(error) ? Effect.fail(tooLarge) : Effect.die(error)))
    )
    // The body that was read is stored in the request, and the form is decoded from there.
    const separators = new Uint8Array(body).reduce((count, byte) => (byte === ampersand ? count + 1 : count), 0)
    return separators < maxFields ? yield* app : yield* tooLarge
  })

/** Refuses a form that another site's page sent, so that no other site can act for a signed-in person. */
export const fromOwnPage = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const context = yield* pageContext
    return isForeign(context.site, yield* HttpServerRequest.HttpServerRequest) ? foreignPage(context) : yield* app
  })
