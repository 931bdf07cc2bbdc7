/**
 * The headers that every answer has unless its route sets them itself. Routes set those that depend on their content, such
 * as the content security policy of a page.
 */
import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import type { SettingsShape } from "../../core/service/Settings.ts"

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

export const isOfApi = ({ url }: HttpServerRequest.HttpServerRequest): boolean => /^\/api\//i.test(url)

/**
 * The response with the headers that it lacks.
 *
 * - every answer: the id of its request; `nosniff`; not kept by caches; no referrer; not to be loaded by pages of other sites, unless it is for
 *   any origin; no frame around it; HTTPS from now on where the service has an `https` URL.
 * - pages also: referrers to themselves only, no use of devices, and a browsing context of their own where browsers take
 *   that (HTTPS and loopback; elsewhere they complain).
 * - answers of the API also: readable for pages of any origin.
 */
export const withUsualHeaders = (settings: SettingsShape) => {
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
