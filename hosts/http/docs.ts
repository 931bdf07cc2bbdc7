/** The reference at `/docs`: the API to read, and to try with a key. One small page, without a script of others. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer, Record } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { html, type SafeHtml } from "@remix-run/html-template"
import Negotiator from "negotiator"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Api } from "../../core/api/Api.ts"
import { Settings } from "../../core/service/Settings.ts"

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto 2rem; padding: 0 1rem; overflow-wrap: anywhere }
header { padding: .8rem 0; border-bottom: 1px solid #8884; font-size: .9rem }
header a { color: inherit; font-weight: 700; text-decoration: none }
summary { cursor: pointer; padding: .4rem 0 }
details { border-top: 1px solid #8884 }
details > :not(summary) { margin-left: 1rem }
pre, textarea { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
label { display: block; margin: .5rem 0 }
input, textarea { display: block; width: 100%; box-sizing: border-box; font-family: ui-monospace, monospace }
output { display: block }`

/** Sends the request that the fields of an operation describe, and shows the answer below them. */
const script = `addEventListener("click", async ({ target }) => {
  if (!target.matches("button[data-method]")) return
  const { method } = target.dataset
  let { path } = target.dataset
  const operation = target.closest("details")
  const shown = operation.querySelector("output pre")
  const query = new URLSearchParams()
  const headers = {}
  const key = document.getElementById("key").value
  if (key !== "") headers.authorization = "Bearer " + key
  for (const { name, value, dataset } of operation.querySelectorAll("input")) {
    if (dataset.in === "path") path = path.replace("{" + name + "}", encodeURIComponent(value))
    else if (value !== "" && dataset.in === "query") query.append(name, value)
    else if (value !== "") headers[name] = value
  }
  const body = operation.querySelector("textarea")?.value
  if (body) headers["content-type"] = "application/json"
  shown.textContent = "Sending …"
  try {
    const answer = await fetch("." + path + (query.size > 0 ? "?" + query : ""), { method, headers, body: body || undefined })
    const text = await answer.text()
    let pretty = text
    try { pretty = JSON.stringify(JSON.parse(text), null, 2) } catch {}
    shown.textContent = answer.status + " " + answer.statusText + "\\n" + [...answer.headers].map((pair) => pair.join(": ")).join("\\n") + "\\n\\n" + pretty
  } catch (error) {
    shown.textContent = String(error)
  }
})`

const sourceOf = (text: string): string => `'sha256-${Base64.encode(sha256(utf8ToBytes(text)))}'`

/**
 * The page has no origin: it can't reach cookies, storage or pages of the viewer, and it can only talk to this host, where
 * every request needs a key. (There is no `Cross-Origin-Opener-Policy`: browsers report an error when a page has both that
 * and `sandbox`.)
 */
const policy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  `script-src ${sourceOf(script)}`,
  `style-src ${sourceOf(style)}`,
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** A schema as JSON, in which the names of other schemas link to them. */
const schemaHtml = (schema: unknown): SafeHtml => {
  // Split by a pattern with two groups: text, URL and name in turn.
  const parts = JSON.stringify(schema, null, 2).split(/(#\/components\/schemas\/([\w.-]+))/)
  const linked = parts.map((part, index) =>
    index % 3 === 0 ? part : index % 3 === 1 ? html`<a href="${part}">${parts[index + 1]}</a>` : ""
  )
  return html`<pre>${linked}</pre>`
}

const fieldOf = ({ in: place, name, required }: OpenApi.OpenAPISpecParameter): SafeHtml =>
  html`<label>${name} (${place}${required ? ", required" : ""})<input name="${name}" data-in="${place}" /></label>`

const answersOf = (responses: OpenApi.OpenAPISpecResponses): Array<SafeHtml> =>
  Record.toEntries(responses).map(([status, { content = {}, description }]) => {
    const schemas = Object.values(content).map((one) => schemaHtml(one?.schema))
    return html`<h4>${status} ${description}</h4>
      ${schemas}`
  })

const operationOf = (path: string, method: string, operation: OpenApi.OpenAPISpecOperation): SafeHtml => {
  const body = operation.requestBody?.content["application/json"]?.schema
  return html`<details id="${operation.operationId}">
    <summary><code>${method.toUpperCase()} ${path}</code> ${operation.summary ?? ""}</summary>
    <p>${operation.description ?? ""}</p>
    ${operation.parameters.map(fieldOf)}
    ${body === undefined ? "" : html`<label>Body<textarea rows="8"></textarea></label>${schemaHtml(body)}`}
    <button type="button" data-method="${method.toUpperCase()}" data-path="${path}">Send</button>
    <output><pre></pre></output>
    <details>
      <summary>Answers</summary>
      ${answersOf(operation.responses)}
    </details>
  </details>`
}

const methods = ["get", "post", "put", "patch", "delete"] as const

const pageOf = ({ components, info, paths, tags = [] }: OpenApi.OpenAPISpec): SafeHtml => {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const one = item[method]
      return one === undefined ? [] : [{ path, method, one }]
    })
  )
  const groups = tags.map(({ name }) => {
    const own = operations.filter(({ one }) => one.tags.includes(name))
    return html`<h2>${name}</h2>
      ${own.map(({ method, one, path }) => operationOf(path, method, one))}`
  })
  const schemas = Record.toEntries(components.schemas).map(
    ([name, schema]) =>
      html`<details id="/components/schemas/${name}">
        <summary>${name}</summary>
        ${schemaHtml(schema)}
      </details>`
  )
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${info.title}</title>
        ${html.raw`${`<style>${style}</style>`}`}
      </head>
      <body>
        <header><a href="./">${info.title}</a> › API reference</header>
        <h1>API reference</h1>
        <p>${info.description ?? ""}</p>
        <p>The same as a document of OpenAPI: <a href="./openapi.json">/openapi.json</a></p>
        <label>Key<input id="key" type="password" autocomplete="off" placeholder="slip_…" /></label>
        ${groups}
        <h2>Schemas</h2>
        ${schemas} ${html.raw`${`<script>${script}</script>`}`}
      </body>
    </html>`
}

/**
 * `GET /docs`, unless the settings turn it off. The page is made and compressed with the first request, as most hosts are
 * never asked for it; browsers keep it and ask only whether it is still the same.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    if (!(yield* Settings).docs) return Layer.empty
    const page = yield* Effect.gen(function* () {
      const text = String(pageOf(OpenApi.fromApi(Api)))
      const zipped = new Uint8Array(yield* Effect.promise(() => promisify(gzip)(text, { level: 9 })))
      return { text, zipped, etag: `"${bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32)}"` }
    }).pipe(Effect.uninterruptible, Effect.cached)
    const serve = Effect.gen(function* () {
      const { etag, text, zipped } = yield* page
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const own = {
        "cache-control": "no-cache",
        "content-security-policy": policy,
        "cross-origin-opener-policy": "unsafe-none",
        "referrer-policy": "no-referrer",
        etag,
        vary: "accept-encoding"
      }
      if (headers["if-none-match"]?.includes(etag) === true)
        return HttpServerResponse.empty({ status: 304, headers: own })
      const accepted = new Negotiator({ headers: { "accept-encoding": headers["accept-encoding"] } })
      const contentType = "text/html; charset=utf-8"
      return accepted.encoding(["gzip", "identity"]) === "gzip"
        ? HttpServerResponse.uint8Array(zipped, { contentType, headers: { ...own, "content-encoding": "gzip" } })
        : HttpServerResponse.text(text, { contentType, headers: own })
    })
    return HttpRouter.add("GET", "/docs", serve)
  })
)
