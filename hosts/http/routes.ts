import { ByteSize, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import {
  HttpEffect,
  HttpIncomingMessage,
  HttpMiddleware,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import type { IpNetwork } from "effect/net"
import { Api } from "../../core/api/Api.ts"
import { RateLimited } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { countRequest } from "../../core/service/metrics.ts"
import { RequestScheduler, type RequestSource } from "../../core/service/RequestScheduler.ts"
import { Settings } from "../../core/service/Settings.ts"
import { note, traceIdIn } from "./accessNotes.ts"
import * as Builds from "./builds.ts"
import { canonicalAddress, clientOf } from "./clientAddress.ts"
import * as Docs from "./docs.ts"
import type { HttpProblem } from "./HttpProblem.ts"
import * as Middleware from "./middleware.ts"
import * as OtherMethods from "./otherMethods.ts"
import * as Previews from "./previews.ts"
import { answerProblems, problemResponse } from "./problems.ts"
import { fromOrigin } from "./RequestOrigin.ts"
import { RequestId, usableRequestId } from "./requestId.ts"
import { withUsualHeaders } from "./responseHeaders.ts"
import * as TestRuns from "./testRuns.ts"
import * as Tests from "./tests.ts"
import * as Tokens from "./tokens.ts"
import { warnOfUntrustedProxy } from "./untrustedProxy.ts"
import * as Usage from "./usage.ts"

const api = Layer.unwrap(
  Effect.map(Settings, ({ url }) =>
    HttpApiBuilder.layer(Api.annotate(OpenApi.Servers, [{ url }]), { openapiPath: "/openapi.json" })
  )
).pipe(
  Layer.provide([Builds.layer, Previews.layer, TestRuns.layer, Tests.layer, Tokens.layer, Usage.layer]),
  Layer.provide(Middleware.layer)
)

const isRateLimited = <E>(error: E | RateLimited): error is RateLimited => error instanceof RateLimited

/** Probes of an orchestrator don't wait for anybody's requests. */
const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/**
 * What a request presents to be authenticated: a key, a cookie, or the URL itself, whose longest part is then its secret or the id of
 * its reservation.
 */
const credentialOf = ({ headers, url }: HttpServerRequest.HttpServerRequest): RequestSource => {
  const { authorization, cookie } = headers
  const credential = authorization ?? cookie
  if (credential !== undefined) return { credential }
  const [, ...parts] = url.split(/[/?]/, 4)
  return {
    credential: parts.reduce((longest, part) => (part.length > longest.length ? part : longest), ""),
    isInUrl: true
  }
}

/**
 * What every route of the host has, the API's and any other: an id for each request, problems as answers to failures,
 * the headers that every answer needs, a permit of the scheduler, and a limit on bodies that are read as a whole (`maxBodyBytes`,
 * 1 MiB by default). `X-Forwarded-For` is trusted from `trustedProxies`; a log line warns about other senders of it.
 */
export const layerEnvelope = (options?: {
  readonly maxBodyBytes?: number | undefined
  readonly trustedProxies?: ReadonlyArray<IpNetwork.IpNetwork> | undefined
}) =>
  HttpRouter.middleware<{ handles: HttpProblem }>()(
    Effect.gen(function* () {
      const complete = withUsualHeaders(yield* Settings)
      const random = yield* SecureRandom
      const scheduler = yield* RequestScheduler
      const { trustedProxies = [] } = options ?? {}
      const forwarded = HttpMiddleware.xForwardedHeaders({ trustedProxies })
      const maxBodySize = ByteSize.bytes(options?.maxBodyBytes ?? 1024 ** 2)
      const noteAnswer = ({ status }: HttpServerResponse.HttpServerResponse) =>
        Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
          const { method, source } = Context.get(context, HttpServerRequest.HttpServerRequest)
          // The router's context ends with the first service that is provided around it.
          const matched = Option.getOrUndefined(Context.getOption(context, HttpRouter.RouteContext))
          const route = matched?.route.path ?? "none"
          const traceId = traceIdIn(context)
          note(source, { requestId: Context.get(context, RequestId), route, ...withoutUndefined({ traceId }) })
          return countRequest({ method, route, status: String(status) })
        })
      // Nothing here depends on a request, so it is made once.
      const enveloped = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
        const answered = answerProblems(app).pipe(
          Effect.tap(noteAnswer),
          // Streams, such as PUTs, are not bounded by this: see `adapters/signed-urls/exactLength.ts`.
          Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize)
        )
        return Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const requestId = usableRequestId(request.headers["x-request-id"]) ?? (yield* random.uuidV4())
          const client = clientOf(canonicalAddress(request.remoteAddress))
          // Around the notes, because the router's context ends with the permit.
          const scheduled = probes.has(request.url)
            ? answered
            : Effect.catchIf(
                scheduler.schedule({ ...credentialOf(request), client }, answered),
                isRateLimited,
                (problem) => Effect.tap(problemResponse(problem), noteAnswer)
              )
          const response = yield* Effect.provideService(scheduled, RequestId, requestId)
          // Appended last, because routes set headers in such handlers too.
          yield* HttpEffect.appendPreResponseHandler((_, response) =>
            Effect.succeed(complete(request, response, requestId))
          )
          return response
        })
      }
      const warn = warnOfUntrustedProxy(trustedProxies)
      return (app) =>
        fromOrigin(Effect.andThen(warn, trustedProxies.length === 0 ? enveloped(app) : forwarded(enveloped(app))))
    }),
    { global: true }
  )

/** A part of a path may be as long as the longest name: a source is one. */
export const routerConfig = { maxParamLength: 1024 }

/** The API with its OpenAPI document at `/openapi.json` and a reference to read and try at `/docs`. */
export const layer = Layer.mergeAll(api, OtherMethods.layer(Api), Docs.layer)
