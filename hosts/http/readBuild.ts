/**
 * `GET /api/v1/builds/{id}` is what a deployment is asked most, so it is answered before the router when nothing about it is
 * unusual: with one round trip to the store, and without the framework's layers. Whatever isn't answered 200 here, refusals above
 * all, goes the way of every other request, and is answered there; so no sentence of the API stands twice.
 */
import { DateTime, Effect, Redacted, Tracer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { toBuildRow } from "../../core/api/builds/responses.ts"
import { BuildId } from "../../core/model/Build.ts"
import { Builds } from "../../core/service/Builds.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { Settings } from "../../core/service/Settings.ts"
import { countRequest } from "../../core/service/metrics.ts"
import { OwnAuthenticate } from "./authenticate.ts"
import { clientOf } from "./clientAddress.ts"
import { usableRequestId } from "./requestId.ts"
import { withUsualHeaders } from "./responseHeaders.ts"

const usualPath = /^\/api\/v1\/builds\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/
const bearer = /^Bearer (slip_[0-9A-Za-z]+)$/
const anyJson = /^(?:\*\/\*|application\/json)$/

/** The build and the key that a request names, if nothing about it is unusual. */
const asked = ({ headers, method, url }: HttpServerRequest.HttpServerRequest) => {
  if (method !== "GET" || headers["content-encoding"] !== undefined) return undefined
  if (!anyJson.test(headers["accept"] ?? "*/*")) return undefined
  const id = usualPath.exec(url)?.[1]
  const key = bearer.exec(headers["authorization"] ?? "")?.[1]
  return id === undefined || key === undefined ? undefined : { id: BuildId.make(id), key: Redacted.make(key) }
}

/** Answers the usual read of a build; every other request is handed to `app`. */
export const readBuildDirectly = Effect.gen(function* () {
  const builds = yield* Builds
  const settings = yield* Settings
  const random = yield* SecureRandom
  const authenticate = yield* OwnAuthenticate
  const limits = yield* RateLimits
  const example = HttpServerRequest.fromWeb(new Request(`${settings.url}/api/v1/builds/`))
  const { headers } = withUsualHeaders(settings)(example, HttpServerResponse.empty())

  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const usual = authenticate === undefined && !limits.countsCallers ? asked(request) : undefined
      // A tracer of the host's own is to see the spans that other requests have.
      if (usual === undefined || (yield* Tracer.Tracer) !== Tracer.nativeTracer) return yield* app
      if (yield* limits.isSuspect(clientOf(request))) return yield* app
      const view = yield* Effect.catch(builds.readByKey(usual.key, usual.id), () => Effect.undefined)
      if (view === undefined) return yield* app
      const requestId = usableRequestId(request.headers["x-request-id"]) ?? (yield* random.uuidV4())
      yield* countRequest({ method: "GET", route: "/api/v1/builds/:id", status: "200" })
      const body = JSON.stringify(toBuildRow(view, settings.viewerUrl, yield* DateTime.now))
      return HttpServerResponse.text(body, {
        contentType: "application/json",
        headers: { ...headers, "x-request-id": requestId }
      })
    })
})
