import { Cause, DateTime, Effect, Exit, Layer, Result } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { InvalidRequest, NotFound, UrlRefused } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { requestedRange } from "../../core/rules/ranges.ts"
import { type GetGrant, ObjectSink, objectsPath, type PutGrant, SignedUrls } from "./SignedUrls.ts"
import { acceptedEncodings, isAcceptedEncoding } from "../../core/rules/verification.ts"
import { OpenSlots, type OpenSlot } from "../../core/service/OpenSlots.ts"

interface Services {
  readonly urls: SignedUrls["Service"]
  readonly sink: ObjectSink["Service"]
  readonly store: ObjectStore["Service"]
  readonly slots: OpenSlots["Service"]
}

/**
 * Answers a GET with the object or the requested range of it. The object stays open until the last byte is sent or the
 * client disconnects.
 */
const handleGet = Effect.fnUntraced(function* (
  { store }: Services,
  grant: GetGrant,
  request: HttpServerRequest.HttpServerRequest
) {
  const range = requestedRange(request.headers)
  const object = yield* store.read(grant.key, range).pipe(
    Effect.catchTag("ObjectMissing", () => Effect.fail(NotFound.default)),
    Effect.tapErrorTag("RangeNotSatisfiable", (problem) =>
      HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.succeed(HttpServerResponse.setHeader(response, "content-range", `bytes */${problem.sizeBytes}`))
      )
    )
  )
  const { contentEncoding, contentType, length, offset, sizeBytes } = object
  return HttpServerResponse.stream(object.stream, {
    status: range === undefined ? 200 : 206,
    contentType,
    contentLength: length,
    headers: {
      "accept-ranges": "bytes",
      "cache-control": "private, no-store",
      ...withoutUndefined({
        "content-encoding": contentEncoding,
        "content-range": range && `bytes ${offset}-${offset + length - 1}/${sizeBytes}`
      })
    }
  })
})

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

/** Stores the body of a PUT whose type and length are those that its URL was signed for. Finalize compares the digest (`core/service/Uploads.ts`). */
const storeBody = Effect.fnUntraced(function* (
  sink: ObjectSink["Service"],
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

/**
 * Stores the body of a PUT while its slot is open. The slot is opened before the first byte is read and checked again after the
 * object is stored. If it closed meanwhile, the object is deleted and the PUT is refused like a later one. A finalize that commits
 * after the check deletes the object itself.
 */
const handlePut = Effect.fnUntraced(function* (
  { sink, slots, store }: Services,
  grant: PutGrant,
  request: HttpServerRequest.HttpServerRequest
) {
  const openOrRemoved = slots.check(grant.key).pipe(Effect.tapErrorTag("UrlRefused", () => store.remove([grant.key])))
  const slot = yield* slots.open(grant.key)
  return yield* Effect.onExit(storeBody(sink, grant, request, slot), (exit) =>
    // A client that disconnects interrupts this call; the object may have been stored just before.
    Exit.isSuccess(exit) || Cause.hasInterrupts(exit.cause) ? openOrRemoved : Effect.void
  )
}, Effect.scoped)

/** Headers of every answer, refusals included, so that a page of any origin can read it. */
const always = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-encoding, content-range",
  // The sandbox takes all rights from uploaded content, also when it is opened as a page.
  "content-security-policy": "sandbox",
  "x-content-type-options": "nosniff"
}

const preflight = (method: string, headers: string) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": method,
      "access-control-allow-headers": headers,
      "access-control-max-age": "86400"
    }
  })

/**
 * The answer to a preflight request, which browsers send before a PUT and some GETs with `Range`. It reveals nothing.
 */
const preflights: Readonly<Record<string, HttpServerResponse.HttpServerResponse>> = {
  GET: preflight("GET", "range, if-range"),
  PUT: preflight("PUT", "content-type")
}

const answer = (
  services: Services,
  request: HttpServerRequest.HttpServerRequest,
  now: DateTime.Utc
): ReturnType<typeof handlePut> | ReturnType<typeof handleGet> | Effect.Effect<never, UrlRefused> => {
  const grant = services.urls.verify(request.method, request.url, now)
  if (Result.isFailure(grant)) return Effect.fail(grant.failure)
  return grant.success.method === "PUT"
    ? handlePut(services, grant.success, request)
    : handleGet(services, grant.success, request)
}

const serve = (services: Services) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, always))
    )
    const asked = preflights[request.headers["access-control-request-method"] ?? ""]
    if (request.method === "OPTIONS" && asked !== undefined) return asked
    return yield* answer(services, request, yield* DateTime.now)
  })

/**
 * The routes behind signed URLs, for a host to mount beside the API. The host provides `OpenSlots`, by which they
 * refuse a PUT to a closed slot.
 */
export const routes = Layer.unwrap(
  Effect.gen(function* () {
    const services = {
      urls: yield* SignedUrls,
      sink: yield* ObjectSink,
      store: yield* ObjectStore,
      slots: yield* OpenSlots
    }
    return HttpRouter.add("*", `${objectsPath}*`, serve(services))
  })
)
