import type { HttpServerRequest } from "effect/http"
import { replayPath } from "./capability.ts"
import type { Site } from "./site.ts"

const hostForm = /^[A-Za-z0-9.-]+(?::\d{1,5})?$/

/** Where the files of a capability lie, as sources: by the viewer's URL, and by the host that the browser asked. */
const ownSources = (site: Site["Service"], host: string | undefined, name: string): string => {
  const path = site.base + replayPath(name)
  const asked = host !== undefined && hostForm.test(host) && !site.origin.endsWith(`//${host}`) ? ` ${host}${path}` : ""
  return site.origin + path + asked
}

/**
 * What every answer at a capability says, refusals too.
 *
 * The sandbox gives what runs an origin of its own, also when it is opened as a page. It may load, fetch and evaluate
 * whatever is below its own capability, and nothing else; only the viewer's pages may frame it. `'self'` would be the
 * viewer's whole origin, so the sources name the path. As the frame's origin is nobody's, its own files come to it
 * across origins.
 */
export const replayHeaders = (
  site: Site["Service"],
  request: HttpServerRequest.HttpServerRequest,
  name: string
): Readonly<Record<string, string>> => {
  const own = ownSources(site, request.headers["host"], name)
  return {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "accept-ranges, content-encoding, content-length, content-range",
    "cache-control": "private, no-store",
    "content-security-policy": [
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
      "frame-ancestors 'self'"
    ].join("; "),
    "cross-origin-resource-policy": "cross-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  }
}
