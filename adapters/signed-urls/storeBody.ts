import { Effect } from "effect"
import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { InvalidRequest, UrlRefused } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { acceptedEncodings, isAcceptedEncoding } from "../../core/rules/verification.ts"
import type { OpenSlot } from "../../core/service/OpenSlots.ts"
import { ObjectSink } from "./ObjectSink.ts"
import type { PutGrant } from "./SignedUrls.ts"

/** Refuses an encoding whose content can't be verified. */
const notVerifiable = new InvalidRequest({
  detail: "Content of this Content-Encoding can't be verified; the object was not stored.",
  issues: [{ path: "content-encoding", message: `must be ${acceptedEncodings.join(" or ")}, or absent` }]
})

/** Headers that S3 obeys. The same URL may be used with a store of S3, so they are refused here as well, in any spelling. */
const ofS3 = /^x[-_]amz[-_]/i

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
  const unsigned = Object.keys(request.headers).find((name) => ofS3.test(name))
  if (unsigned !== undefined) {
    return yield* new UrlRefused({ detail: `This URL was not signed for the header ${unsigned}.` })
  }
  if (request.headers["content-range"] !== undefined) return yield* partialPut
  if (type !== contentType) {
    return yield* new UrlRefused({ detail: `This URL was signed for the content type ${contentType}.` })
  }
  const wrongLength = new UrlRefused({ detail: `This URL was signed for exactly ${sizeBytes} bytes.` })
  if (length !== undefined && Number(length) !== sizeBytes) return yield* wrongLength
  if (!isAcceptedEncoding(contentEncoding)) return yield* notVerifiable
  const sink = yield* ObjectSink
  const object = withoutUndefined({ key, contentType, sizeBytes, contentEncoding })
  yield* (sink.keepsNoDigest === true ? slot.acceptUndigested : slot.accept(object)).pipe(
    Effect.flatMap((digest) => sink.receive(object, request.stream, digest)),
    Effect.scoped,
    Effect.catchTags({
      WrongLength: () => Effect.fail(wrongLength),
      HttpServerError: () => Effect.fail(bodyCutShort)
    })
  )
  return HttpServerResponse.empty({ status: 200 })
})
