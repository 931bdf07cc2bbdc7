import { Context, DateTime, Effect, Layer } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { OpenSlots } from "../../core/service/OpenSlots.ts"
import { ObjectSink } from "./ObjectSink.ts"
import { handlePut } from "./put.ts"
import { handleGet } from "./get.ts"
import { objectsPath, SignedUrls } from "./SignedUrls.ts"

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

const serve = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, always))
  )
  const asked = preflights[request.headers["access-control-request-method"] ?? ""]
  if (request.method === "OPTIONS" && asked !== undefined) return asked
  const urls = yield* SignedUrls
  const grant = yield* Effect.fromResult(urls.verify(request.method, request.url, yield* DateTime.now))
  return yield* grant.method === "PUT" ? handlePut(grant, request) : handleGet(grant, request)
})

/**
 * The routes behind signed URLs, for a host to mount beside the API. The host provides `OpenSlots`, by which they
 * refuse a PUT to a closed slot.
 */
export const routes = Layer.unwrap(
  Effect.map(Effect.context<SignedUrls | ObjectSink | ObjectStore | OpenSlots>(), (context) => {
    // Only these services are passed on, because the scope here is the layer's, and an opened object must close with its
    // request.
    const services = Context.pick(SignedUrls, ObjectSink, ObjectStore, OpenSlots)(context)
    return HttpRouter.add("*", `${objectsPath}*`, Effect.provideContext(serve, services))
  })
)
