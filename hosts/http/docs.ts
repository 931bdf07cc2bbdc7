/** The reference at `/docs`: the API to read, and to try with a key. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"

/** Switches off what leads to Scalar's own services. Effect's type has only some of the options, and passes on all of them. */
const scalar = {
  withDefaultFonts: false,
  authentication: { preferredSecurityScheme: "key" },
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false,
  // The sandbox opens no other page, so links to other pages don't look like links.
  customCss:
    'a[href*="scalar.com"] { display: none } a[target="_blank"] { pointer-events: none; text-decoration: none }'
} as const

/** A storage that lasts as long as the page is open: Scalar expects one, and a page without an origin has none. */
const storageForNow = `for (const name of ["localStorage", "sessionStorage"]) {
  const kept = new Map()
  const storage = {
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, value) => void kept.set(String(key), String(value)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear(),
    key: (index) => [...kept.keys()][index] ?? null,
    get length() { return kept.size }
  }
  Object.defineProperty(window, name, { value: storage })
}`

const sourceOf = (script: string): string => `'sha256-${Base64.encode(sha256(utf8ToBytes(script)))}'`

/**
 * The page runs megabytes of third-party script, so it has no origin: it can't reach cookies, storage or pages of the
 * viewer, and it can only talk to this host, where every request needs a key. (There is no `Cross-Origin-Opener-Policy`:
 * browsers report an error when a page has both that and `sandbox`.)
 */
const policyOf = (scripts: ReadonlyArray<string>): string =>
  [
    "sandbox allow-scripts allow-forms allow-downloads",
    "default-src 'none'",
    `script-src ${scripts.map(sourceOf).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** Scalar's page, with a policy that allows only what it needs. */
const confined = (html: string): HttpServerResponse.HttpServerResponse => {
  const text = html.replace("<head>", () => `<head><link rel="icon" href="data:," /><script>${storageForNow}</script>`)
  const scripts = Array.from(text.matchAll(/<script>([^]*?)<\/script>/g), ([, script = ""]) => script)
  return HttpServerResponse.text(text, {
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "no-cache",
      "content-security-policy": policyOf(scripts),
      "cross-origin-opener-policy": "unsafe-none",
      "referrer-policy": "no-referrer"
    }
  })
}

/**
 * `GET /docs`. Scalar's script is megabytes, and most hosts are never asked for the page: it is loaded and the page made
 * with the first request.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const page = yield* HttpRouter.toHttpEffect(HttpApiScalar.layer(Api, { path: "/docs", scalar })).pipe(
      // A memo map of its own: a request's already holds this host's router, which has the route.
      Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap),
      Effect.flatten,
      Effect.map(({ body }) => confined(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "")),
      Effect.uninterruptible,
      Effect.cached
    )
    yield* router.add("GET", "/docs", page)
  })
)
