import { Effect } from "effect"
import { HttpEffect, HttpServerResponse, type HttpServerRequest } from "effect/http"
import { NotFound } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { requestedRange } from "../../core/rules/ranges.ts"
import type { GetGrant } from "./SignedUrls.ts"

/**
 * Answers a GET with the object or the requested range of it. The object stays open until the last byte is sent or the
 * client disconnects.
 */
export const handleGet = Effect.fnUntraced(function* (grant: GetGrant, request: HttpServerRequest.HttpServerRequest) {
  const range = requestedRange(request.headers)
  const store = yield* ObjectStore
  const object = yield* store.read(grant.key, range).pipe(
    Effect.catchTag("ObjectMissing", () => Effect.fail(NotFound.answer)),
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
