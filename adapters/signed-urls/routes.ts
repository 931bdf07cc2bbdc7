import { Context, DateTime, Effect, Layer } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { OpenSlots } from "../../core/service/OpenSlots.ts"
import { ObjectSink } from "./ObjectSink.ts"
import { receiveWhileOpen } from "./receiveWhileOpen.ts"
import { send } from "./send.ts"
import { objectsPath, SignedUrls } from "./SignedUrls.ts"

/** What every answer says, refusals too, so that a page of any origin can read it. */
const always = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-encoding, content-range",
  // What was uploaded runs with nobody's rights, also when it is opened as a page of its own.
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

/** A browser asks first before it sends these across origins, GET with some forms of `Range`. Nothing is told by the answer. */
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
  return yield* grant.method === "PUT" ? receiveWhileOpen(grant, request) : send(grant, request)
})

/**
 * The routes behind signed URLs, for a host to mount beside the API. What they are mounted in gives `OpenSlots`, by which
 * they refuse a PUT to a slot that isn't open any more.
 */
export const routes = Layer.unwrap(
  Effect.map(Effect.context<SignedUrls | ObjectSink | ObjectStore | OpenSlots>(), (context) => {
    // Nothing else of it: in here, the scope is that of the layer, and what is opened has to close with its request.
    const services = Context.pick(SignedUrls, ObjectSink, ObjectStore, OpenSlots)(context)
    return HttpRouter.add("*", `${objectsPath}*`, Effect.provideContext(serve, services))
  })
)
