import { ByteSize, Context, Effect, type Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import {
  Cookies,
  HttpBody,
  HttpEffect,
  HttpIncomingMessage,
  HttpMiddleware,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { OpenApi } from "effect/http-api"
import type { IpNetwork } from "effect/net"
import { Api } from "../../core/api/Api.ts"
import { RateLimited } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { countRequest } from "../../core/service/telemetry.ts"
import { RequestScheduler, type RequestSource } from "../../core/service/RequestScheduler.ts"
import { Settings, type SettingsShape } from "../../core/service/Settings.ts"
import {
  canonicalAddress,
  clientOf,
  fromOrigin,
  note,
  proxyHeader,
  RequestId,
  traceIdIn,
  usableRequestId,
  warnOfUntrustedProxy
} from "./requestContext.ts"
import * as Builds from "./builds.ts"
import * as Docs from "./docs.ts"
import type { HttpProblem } from "./HttpProblem.ts"
import * as OtherMethods from "./otherMethods.ts"
import * as Previews from "./previews.ts"
import { answerProblems, problemResponse } from "./problems.ts"
import * as Quarantines from "./quarantines.ts"
import * as TestRuns from "./testRuns.ts"
import * as Tests from "./tests.ts"
import * as Tokens from "./tokens.ts"
import * as Usage from "./usage.ts"
import Negotiator from "negotiator"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

const document = Layer.unwrap(
  Effect.map(Settings, ({ url }) => {
    const written = Effect.runSync(
      Effect.cached(
        Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api.annotate(OpenApi.Servers, [{ url }]))))
      )
    )
    return HttpRouter.add("GET", "/openapi.json", written)
  })
)

const api = Layer.mergeAll(
  Builds.layer,
  Previews.layer,
  TestRuns.layer,
  Tests.layer,
  Quarantines.layer,
  Tokens.layer,
  Usage.layer,
  document
)

/** Notes and counts an answer, with the route that gave it. */
const noteResponse = (response: HttpServerResponse.HttpServerResponse) =>
  Effect.withFiber<HttpServerResponse.HttpServerResponse>(({ context }) => {
    const { method, source } = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    const matched = Context.getOrUndefined(context, HttpRouter.RouteContext)
    const route = matched?.route.path ?? "none"
    const traceId = traceIdIn(context)
    note(source, { requestId: Context.get(context, RequestId), route, ...withoutUndefined({ traceId }) })
    return Effect.as(countRequest({ method, route, status: String(response.status) }), response)
  })

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

// The headers that every answer has unless its route sets them, such as the content security policy of a page.

type Headers = Readonly<Record<string, string>>

/** Features of the browser that no page needs, so that nothing in a page can use them. */
const unusedFeatures = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "usb"
]

const permissionsPolicy = unusedFeatures.map((feature) => `${feature}=()`).join(", ")

const loopback = /^(?:localhost|[\w.-]+\.localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i

const isPage = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  headers["content-type"]?.startsWith("text/html") === true

const pageHeaders = (isHttps: boolean, { headers }: HttpServerRequest.HttpServerRequest): Headers => ({
  "referrer-policy": "same-origin",
  "permissions-policy": permissionsPolicy,
  ...(isHttps || loopback.test(headers["host"] ?? "") ? { "cross-origin-opener-policy": "same-origin" } : {})
})

/** The API may be called from pages of any origin: every call needs a key, and no cookie is accepted. */
const apiHeaders = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): Headers => ({
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "link, location, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id",
  ...(method === "OPTIONS" && headers["access-control-request-method"] !== undefined
    ? {
        "access-control-allow-methods": response.headers["allow"] ?? "",
        "access-control-allow-headers": "authorization, content-type, idempotency-key, x-request-id",
        "access-control-max-age": "86400"
      }
    : {})
})

const isOfApi = ({ url }: HttpServerRequest.HttpServerRequest): boolean => /^\/api\//i.test(url)

/**
 * The response with the headers that it lacks.
 *
 * - every answer: the id of its request; `nosniff`; not kept by caches; no referrer; not to be loaded by pages of other sites, unless it is for
 *   any origin; no frame around it; HTTPS from now on where the service has an `https` URL.
 * - pages also: referrers to themselves only, no use of devices, and a browsing context of their own where browsers take
 *   that (HTTPS and loopback; elsewhere they complain).
 * - answers of the API also: readable for pages of any origin.
 */
const withUsualHeaders = (settings: SettingsShape) => {
  const isHttps = [settings.url, settings.viewerUrl, settings.contentUrl].some((url) => url.startsWith("https:"))
  return (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse,
    requestId: string
  ): HttpServerResponse.HttpServerResponse => {
    const isForAnyOrigin = response.headers["access-control-allow-origin"] === "*"
    return HttpServerResponse.setHeaders(response, {
      "cache-control": "no-store",
      // A worker takes its policy from its script's answer, so scripts have none.
      ...(response.headers["content-type"]?.startsWith("text/javascript") === true
        ? {}
        : { "content-security-policy": "default-src 'none'; frame-ancestors 'none'" }),
      "cross-origin-resource-policy": isForAnyOrigin ? "cross-origin" : "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      ...(isHttps ? { "strict-transport-security": "max-age=31536000" } : {}),
      ...(isPage(response) ? pageHeaders(isHttps, request) : {}),
      ...(isOfApi(request) ? apiHeaders(request, response) : {}),
      ...response.headers,
      "x-request-id": requestId
    })
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
      const compressed = makeCompression()
      const random = yield* SecureRandom
      const scheduler = yield* RequestScheduler
      const { trustedProxies = [] } = options ?? {}
      const forwarded = HttpMiddleware.xForwardedHeaders({ trustedProxies })
      const warning = warnOfUntrustedProxy(trustedProxies)
      const maxBodySize = ByteSize.bytes(options?.maxBodyBytes ?? 1024 ** 2)
      // Nothing here depends on a request, so it is made once.
      const enveloped = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
        const answered = Effect.flatMap(answerProblems(app), noteResponse)
        const answeredAs = (fiber: Fiber.Fiber<unknown, unknown>, requestId: string) => {
          const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
          // The context ends with the request, as that of the router does. Streams, such as PUTs, are not bounded by `MaxBodySize`: see
          // `adapters/signed-urls/routes.ts`.
          fiber.setContext(
            Context.add(Context.add(fiber.context, RequestId, requestId), HttpIncomingMessage.MaxBodySize, maxBodySize)
          )
          const client = clientOf(canonicalAddress(request.remoteAddress))
          const refused = (problem: RateLimited) => Effect.flatMap(problemResponse(problem), noteResponse)
          const permitted = scheduler.schedule({ ...credentialOf(request), client }, answered)
          const scheduled = Effect.catch(permitted, (error) =>
            isRateLimited(error) ? refused(error) : Effect.fail(error)
          )
          return Effect.map(probes.has(request.url) ? answered : scheduled, (response) => {
            // Appended last, because routes set headers in such handlers too.
            HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) => {
              const completed = complete(request, response, requestId)
              return request.method === "GET" && !isOfApi(request)
                ? compressed(request, completed)
                : Effect.succeed(completed)
            })
            return response
          })
        }
        return Effect.withFiber<HttpServerResponse.HttpServerResponse, Exclude<E, HttpProblem>, R>((fiber) => {
          const { headers } = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
          const sent = usableRequestId(headers["x-request-id"])
          return sent === undefined
            ? Effect.flatMap(random.uuidV4(), (requestId) => answeredAs(fiber, requestId))
            : answeredAs(fiber, sent)
        })
      }
      return (app) => {
        const all = trustedProxies.length === 0 ? enveloped(app) : forwarded(enveloped(app))
        return Effect.withFiber((fiber) => {
          const request = fromOrigin(fiber)
          const warn = warning(request)
          if (probes.has(request.url)) {
            const sent = request.headers["x-forwarded-for"] !== undefined
            const proxy = sent ? (warn === undefined ? "trusted" : "untrusted") : "none"
            HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
              Effect.succeed(HttpServerResponse.setHeader(response, proxyHeader, proxy))
            )
          }
          return warn === undefined ? all : Effect.andThen(warn, all)
        })
      }
    }),
    { global: true }
  )

/** A part of a path may be as long as the longest name: a source is one. */
export const routerConfig = { maxParamLength: 1024 }

/** The API with its OpenAPI document at `/openapi.json` and a reference to read and try at `/docs`. */
export const layer = Layer.mergeAll(api, OtherMethods.layer(Api), Docs.layer)

// Compresses the answers of pages: HTML, scripts, stylesheets and JSON. Answers of the API and uploaded objects are sent as they are.
//
// A page has secrets, such as URLs that open its files, and repeats what its URL has, such as a search. A person who sees the length of
// compressed answers and makes a browser load such URLs again and again can guess the secrets (BREACH). So what isn't public is compressed
// only if another site can't have caused the request: the browser says that the page itself did (`Sec-Fetch-Site`), or that a person
// followed a link (`Sec-Fetch-User`). An answer to a form, which may show a new key or link, is never compressed.

type Encoding = "br" | "gzip"

const compressible = /^(?:text\/(?:html|css|javascript)|application\/json)\b/

/** Less isn't worth the time: it is one packet anyway. */
const minBytes = 1024

const [compressBrotli, compressGzip] = [promisify(brotliCompress), promisify(gzip)]

/** `quality` as of Brotli: 4 is as fast as gzip and smaller, 9 is for what is compressed once. */
const compress = async (bytes: Uint8Array, encoding: Encoding, quality: 4 | 9): Promise<Uint8Array> =>
  encoding === "br"
    ? compressBrotli(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength }
      })
    : compressGzip(bytes)

const cannotBeCausedByOthers = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["sec-fetch-site"] === "same-origin" ||
  headers["sec-fetch-site"] === "none" ||
  headers["sec-fetch-user"] === "?1"

/** A validator of the content, whichever way it is encoded. */
const etagOf = (bytes: Uint8Array): string => `W/"${hash("sha256", bytes, "base64url").slice(0, 22)}"`

/** What never changes, by its URL: its validator, and its compressed bytes. */
interface Unchanging {
  readonly etag: string
  readonly compressed: Partial<Record<Encoding, Promise<Uint8Array>>>
}

const maxUnchanging = 200

/**
 * Answers to GET as they are sent. The scripts of pages, whose URLs have their digests, are compressed once, and revalidated by their
 * `ETag`. A page has one too, by which its script asks whether it has changed: no cache may store it.
 */
export const makeCompression = () => {
  const unchanging = new Map<string, Unchanging>()

  const unchangingAt = (url: string, bytes: Uint8Array): Unchanging => {
    const found = unchanging.get(url)
    if (found !== undefined) return found
    if (unchanging.size >= maxUnchanging) unchanging.clear()
    const added = { etag: etagOf(bytes), compressed: {} }
    unchanging.set(url, added)
    return added
  }

  return (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const { body, headers, status } = response
    const contentType = headers["content-type"] ?? ""
    const isWhole = body._tag === "Uint8Array" && headers["content-encoding"] === undefined
    const isCompressible = isWhole && compressible.test(contentType) && body.contentLength >= minBytes
    if (status !== 200 || !isCompressible) return Effect.succeed(response)
    const cacheControl = headers["cache-control"] ?? ""
    const same = cacheControl.includes("immutable") ? unchangingAt(request.url, body.body) : undefined
    const isStable = isPage(response) && Cookies.isEmpty(response.cookies)
    const etag = same === undefined ? (isStable ? etagOf(body.body) : undefined) : same.etag
    const own = { vary: "accept-encoding", ...withoutUndefined({ etag }) }
    if (etag !== undefined && request.headers["if-none-match"]?.includes(etag) === true) {
      const { "content-length": _length, "content-type": _type, ...others } = headers
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { ...others, ...own } }))
    }
    const negotiator = new Negotiator({ headers: { "accept-encoding": request.headers["accept-encoding"] } })
    const accepted = negotiator.encodings(["br", "gzip"])
    const encoding = (["br", "gzip"] as const).find((one) => accepted.includes(one))
    const plain = HttpServerResponse.setHeaders(response, own)
    if (encoding === undefined) return Effect.succeed(plain)
    if (!cacheControl.startsWith("public") && !cannotBeCausedByOthers(request)) return Effect.succeed(plain)
    const compressed =
      same === undefined
        ? compress(body.body, encoding, 4)
        : (same.compressed[encoding] ??= compress(body.body, encoding, 9))
    return Effect.map(
      Effect.promise(() => compressed),
      (bytes) =>
        HttpServerResponse.setHeader(
          HttpServerResponse.setBody(plain, HttpBody.uint8Array(bytes, contentType)),
          "content-encoding",
          encoding
        )
    )
  }
}
