/** What confines uploaded content: the headers of its responses, and a host name of its own. */
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { objectsPath, objectsRoot, replayPath, replayRoot } from "../access/capability.ts"
import { ownSources, Site } from "../access/site.ts"

/**
 * Browser features that a replay, and any document that its frame navigates to, may not use. The sandbox already denies
 * most; the rest must be denied explicitly. Synchronous requests are allowed, because they reach only the replay's own
 * files.
 */
const deniedFeatures = [
  "accelerometer",
  "autoplay",
  "browsing-topics",
  "camera",
  "clipboard-read",
  "clipboard-write",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "identity-credentials-get",
  "idle-detection",
  "keyboard-map",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "otp-credentials",
  "payment",
  "picture-in-picture",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "storage-access",
  "usb",
  "window-management",
  "xr-spatial-tracking"
]

/** The `allow` of a frame that runs a replay. */
export const frameAllows = deniedFeatures.map((feature) => `${feature} 'none'`).join("; ")

type Headers = Readonly<Record<string, string>>

/**
 * The headers of every answer to a capability, including refusals. A sandbox has an opaque origin, so its own files are
 * cross-origin to it, and so is a video to the document in which Chromium shows it.
 */
const capabilityHeaders = (policy: ReadonlyArray<string>): Headers => ({
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-encoding, content-length, content-range, etag",
  "cache-control": "private, no-store",
  "connection-allowlist": "(response-origin);webrtc=block",
  "content-security-policy": policy.join("; "),
  "cross-origin-resource-policy": "cross-origin",
  "permissions-policy": deniedFeatures.map((feature) => `${feature}=()`).join(", "),
  "referrer-policy": "no-referrer",
  "x-dns-prefetch-control": "off",
  "x-content-type-options": "nosniff"
})

/**
 * The policy of running code. The sandbox gives it an opaque origin, even if it is opened as a page. It may load, fetch
 * and evaluate only what is below its own capability's path, and only the viewer's pages may frame it. The sources name
 * the path because `'self'` would allow the whole origin.
 */
export const replayHeaders = (
  site: Site["Service"],
  request: HttpServerRequest.HttpServerRequest,
  name: string
): Headers => {
  const own = ownSources(site.content, request.headers["host"], replayPath(name))
  return capabilityHeaders([
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${own} 'unsafe-inline' 'unsafe-eval' blob: data:`,
    `style-src ${own} 'unsafe-inline'`,
    `img-src ${own} blob: data:`,
    `media-src ${own} blob: data:`,
    `font-src ${own} data:`,
    `connect-src ${own} blob: data:`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
    // Browsers compare every page around the document, so also those that frame the viewer's.
    `frame-ancestors ${[site.content.isApart ? site.origin : "'self'", ...site.frameAncestors].join(" ")}`
  ])
}

/**
 * The policy of an uploaded object. Nothing in it runs. A browser that shows media in its own player requests the
 * object again.
 */
export const objectHeaders = (
  site: Site["Service"],
  request: HttpServerRequest.HttpServerRequest,
  name: string
): Headers => {
  const own = ownSources(site.content, request.headers["host"], objectsPath(name))
  return capabilityHeaders([
    "sandbox",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${own}`,
    `media-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ])
}

const isContent = ({ url }: HttpServerRequest.HttpServerRequest): boolean =>
  url.startsWith(replayRoot) || url.startsWith(objectsRoot)

/** The requested host, without its scheme's default port. */
const askedHost = ({ headers, originalUrl }: HttpServerRequest.HttpServerRequest, scheme: string) => {
  const host = headers["host"]
  const url = host === undefined ? originalUrl : `${scheme}//${host}`
  return URL.canParse(url) ? new URL(url).host : undefined
}

/**
 * If uploaded content has its own host, it is served only there, and that host serves nothing else of the viewer:
 * people must not sign in on a host that runs anyone's code. A request to the wrong host is answered with not found.
 */
export const atItsHost = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const { content } = yield* Site
    const request = yield* HttpServerRequest.HttpServerRequest
    const isThere = askedHost(request, new URL(content.origin).protocol) === content.host
    return content.isApart && isThere !== isContent(request) ? yield* NotFound.default : yield* app
  })
