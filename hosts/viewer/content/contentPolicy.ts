import type { HttpServerRequest } from "effect/http"
import { objectsPath, replayPath } from "../access/capability.ts"
import { ownSources } from "../access/ownSources.ts"
import type { Site } from "../access/site.ts"

/**
 * What a replay may not use of a browser, nor any document that its frame is led to. A sandbox has most of it from nobody;
 * some is for every frame unless it is denied. Requests that hold up a script reach its own files only, so they are left.
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
 * What every answer at a capability says, refusals too. As the origin of a sandbox is nobody's, what is its own comes to
 * it across origins; so does a video to the document in which Chromium shows it.
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
 * For what runs. The sandbox gives it an origin of its own, also when it is opened as a page. It may load, fetch and
 * evaluate whatever is below its own capability, and nothing else; only the viewer's pages may frame it. `'self'` would
 * be its whole origin, so the sources name the path.
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
    `frame-ancestors ${site.content.isApart ? site.origin : "'self'"}`
  ])
}

/** For an object as it was uploaded. Nothing in it runs; a browser that shows media by itself loads it once more. */
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
