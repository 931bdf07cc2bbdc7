import { Effect } from "effect"
import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { InvalidRequest, UrlRefused } from "../../core/model/Problem.ts"
import { acceptedEncodings, isVerifiable } from "../../core/rules/verification.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { OpenSlot } from "../../core/service/OpenSlots.ts"
import { ObjectSink } from "./ObjectSink.ts"
import type { PutGrant } from "./SignedUrls.ts"

const notVerifiable = new InvalidRequest({
  detail: "The object was not stored, because its bytes could not be verified with this Content-Encoding.",
  issues: [{ path: "content-encoding", message: acceptedEncodings }]
})

// Storing such a body would store a part in place of the whole object (RFC 9110 §14.5).
const partialPut = new InvalidRequest({
  detail: "A PUT stores a whole object; the object was not stored.",
  issues: [{ path: "content-range", message: "must not be sent: a part of an object can't be PUT" }]
})

const bodyCutShort = new InvalidRequest({ detail: "The body ended before it was whole.", issues: [] })

/** Stores the body of a PUT whose type and length are those that its URL was signed for. Finalize compares the digest (`verifyPromoted.ts`). */
export const storeBody = Effect.fnUntraced(function* (
  grant: PutGrant,
  request: HttpServerRequest.HttpServerRequest,
  slot: OpenSlot
) {
  const { "content-encoding": contentEncoding, "content-length": length, "content-type": type } = request.headers
  const { contentType, key, sizeBytes } = grant
  if (request.headers["content-range"] !== undefined) return yield* partialPut
  if (type !== contentType) {
    return yield* new UrlRefused({ detail: `This URL was signed for the content type ${contentType}.` })
  }
  const wrongLength = new UrlRefused({ detail: `This URL was signed for exactly ${sizeBytes} bytes.` })
  if (length !== undefined && Number(length) !== sizeBytes) return yield* wrongLength
  if (!isVerifiable(contentEncoding)) return yield* notVerifiable
  const sink = yield* ObjectSink
  const object = withoutUndefined({ key, contentType, sizeBytes, contentEncoding })
  yield* slot.accept(object).pipe(
    Effect.flatMap((digest) => sink.receive(object, request.stream, digest)),
    Effect.scoped,
    Effect.catchTags({
      WrongLength: () => Effect.fail(wrongLength),
      HttpServerError: () => Effect.fail(bodyCutShort)
    })
  )
  return HttpServerResponse.empty({ status: 200 })
})
