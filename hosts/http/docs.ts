/** The reference at `/docs`: the API to read, and to try with a key. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"

/** Without what leads to Scalar's own services. Effect's type knows some of the options only, and passes on all. */
const scalar = {
  withDefaultFonts: false,
  authentication: { preferredSecurityScheme: "key" },
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false,
  // The sandbox opens no other page, so what would isn't shown as a link.
  customCss:
    'a[href*="scalar.com"] { display: none } a[target="_blank"] { pointer-events: none; text-decoration: none }'
} as const

/** What Scalar keeps for later, for as long as the page is open: a page without an origin has no storage. */
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
 * Megabytes of someone else's script run here, so the page has no origin: no cookie, no storage and no page of the
 * viewer is in its reach, and it talks to this host alone, where only a key counts. (With `sandbox` goes no
 * `Cross-Origin-Opener-Policy`: browsers take the two together for an error.)
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

/** Scalar's page, made one that may do as little as it needs. */
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

/** Scalar's integration answers everyone with one and the same response. */
const made = new WeakMap<HttpServerResponse.HttpServerResponse, HttpServerResponse.HttpServerResponse>()

const confine = HttpRouter.middleware((app) =>
  Effect.map(app, (response) => {
    if (response.body._tag !== "Uint8Array") return response
    const page = made.get(response) ?? confined(new TextDecoder().decode(response.body.body))
    made.set(response, page)
    return page
  })
)

/** `GET /docs`. */
export const layer = HttpApiScalar.layer(Api, { path: "/docs", scalar }).pipe(Layer.provide(confine.layer))
