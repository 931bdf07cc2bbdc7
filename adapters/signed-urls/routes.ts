import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { InvalidRequest, NotFound, UrlRefused } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import type { ByteRange } from "../../core/ports/ObjectStore.ts"
import { ObjectSink } from "./ObjectSink.ts"
import { objectsPath, SignedUrls } from "./SignedUrls.ts"

/** What the request's own URL allows; `UrlRefused` when that isn't this request. */
const granted = Effect.gen(function* () {
  const urls = yield* SignedUrls
  const request = yield* HttpServerRequest.HttpServerRequest
  const grant = urls.verify(request.method, new URL(request.url, "http://localhost"), yield* DateTime.now)
  return { request, grant: yield* Effect.fromResult(grant) }
})

const put = Effect.gen(function* () {
  const { grant, request } = yield* granted
  const { "content-encoding": encoding, "content-length": length, "content-type": type } = request.headers
  if (grant.method !== "PUT") return yield* new UrlRefused({ detail: "This URL was not signed for a PUT." })
  if (type !== grant.contentType) {
    return yield* new UrlRefused({ detail: `This URL was signed for the content type ${grant.contentType}.` })
  }
  const wrongLength = new UrlRefused({ detail: `This URL was signed for exactly ${grant.sizeBytes} bytes.` })
  if (length !== undefined && Number(length) !== grant.sizeBytes) return yield* wrongLength
  const { contentType, key, sizeBytes } = grant
  const sink = yield* ObjectSink
  yield* sink
    .receive(
      { key, contentType, sizeBytes, ...(encoding === undefined ? {} : { contentEncoding: encoding }) },
      request.stream
    )
    .pipe(
      Effect.catchTag("WrongLength", () => Effect.fail(wrongLength)),
      Effect.catchTag("HttpServerError", () =>
        Effect.fail(new InvalidRequest({ detail: "The body ended before it was whole.", issues: [] }))
      )
    )
  return HttpServerResponse.empty({ status: 200 })
})

const rangeForm = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/

/** A single range; anything else is answered with the whole object, as RFC 9110 §14.2 allows. */
const parseRange = (header: string | undefined): ByteRange | undefined => {
  const [, first, last, suffix] = rangeForm.exec(header ?? "") ?? []
  if (suffix !== undefined) return { suffix: Number(suffix) }
  if (first === undefined) return undefined
  const offset = Number(first)
  if (last === undefined || last === "") return { offset }
  return Number(last) < offset ? undefined : { offset, length: Number(last) - offset + 1 }
}

const get = Effect.gen(function* () {
  const { grant, request } = yield* granted
  const range = parseRange(request.headers["range"])
  const store = yield* ObjectStore
  const object = yield* Effect.catchTag(store.read(grant.key, range), "ObjectMissing", () =>
    Effect.fail(NotFound.answer)
  )
  const { contentEncoding, contentType, length, offset, sizeBytes } = object
  return HttpServerResponse.stream(object.stream, {
    status: range === undefined ? 200 : 206,
    contentType,
    contentLength: length,
    headers: {
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      // What was uploaded runs with nobody's rights, also when it is opened as a page of its own.
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      ...(contentEncoding === undefined ? {} : { "content-encoding": contentEncoding }),
      ...(range === undefined ? {} : { "content-range": `bytes ${offset}-${offset + length - 1}/${sizeBytes}` })
    }
  })
})

/** The routes behind signed URLs, for a host to mount beside the API. */
export const routes = HttpRouter.addAll([
  HttpRouter.route("PUT", `${objectsPath}*`, put),
  HttpRouter.route("GET", `${objectsPath}*`, get)
])
