/**
 * Every kind of answer has the security headers that browsers and scanners expect, with an HTTP and with an HTTPS URL.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { get } from "node:http"
import { signIn, visit, type Visit } from "../viewer/testing/visit.ts"
import { enginesWithOwnUrls } from "./testing/engines.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { bundle, put, readyBuild, reserve } from "./testing/uploads.ts"

type Said = Readonly<Record<string, string | RegExp | null>>

const every: Said = {
  "x-content-type-options": "nosniff",
  "cache-control": /^(?:private, )?no-(?:store|cache)$|^public, max-age=/,
  "referrer-policy": /^(?:no-referrer|same-origin)$/,
  server: null,
  "x-powered-by": null
}
const notKept: Said = { "cache-control": /no-store/ }
const page: Said = {
  ...every,
  ...notKept,
  "content-security-policy": /default-src 'none'.*frame-ancestors 'none'/,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": /camera=\(\).*microphone=\(\)/,
  "referrer-policy": "same-origin"
}
const api: Said = {
  ...every,
  ...notKept,
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "access-control-allow-origin": "*",
  "access-control-allow-credentials": null,
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer"
}
const plain: Said = { ...api, "access-control-allow-origin": null }
const object: Said = {
  ...every,
  "content-security-policy": /^sandbox/,
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin"
}
const docs: Said = {
  ...every,
  "content-security-policy":
    /^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; .*connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": /camera=\(\)/,
  "referrer-policy": "no-referrer"
}

for (const scheme of ["http", "https"] as const) {
  const settings = scheme === "https" ? { viewerUrl: "https://slipway.example" } : {}
  for (const engines of enginesWithOwnUrls()) {
    layer(TestHost.layer(engines, settings))(`headers on ${engines.objects}, the URL being ${scheme}`, (it) => {
      it.effect("are right for each kind of answer", function* () {
        const { url } = yield* TestHost
        const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
        const authorization = `Bearer ${account.key}`
        const { row } = yield* readyBuild(account)
        const { slots } = yield* reserve(account, { branch: "other" })
        const cookie = yield* signIn(account.key)
        const accept = "text/html"
        const path = new URL(row.url).pathname
        const build = yield* visit("GET", path, { cookie })
        const linked = (form: RegExp) => form.exec(build.text)?.[1] ?? "none"
        const at = (slot: { readonly putUrl: string }) => slot.putUrl.slice(url.length)
        const answers: ReadonlyArray<readonly [number, Said, Effect.Effect<Visit, never, TestHost>]> = [
          [200, page, Effect.succeed(build)],
          [200, page, visit("GET", "/sign-in")],
          [200, page, visit("GET", "/", { cookie })],
          [401, page, visit("GET", path)],
          [401, page, visit("POST", "/sign-in", { form: { key: "slip_wrong" } })],
          [403, page, visit("POST", "/sign-out", { headers: { "sec-fetch-site": "cross-site" } })],
          [404, page, visit("GET", "/nowhere", { headers: { accept } })],
          [303, { ...every, ...notKept }, visit("POST", "/sign-out", { cookie })],
          [200, every, visit("GET", linked(/src="[^"]*(\/viewer-assets\/[\w-]+\.js)"/))],
          [404, plain, visit("GET", "/viewer-assets/none.js")],
          [200, every, visit("GET", new URL(linked(/rel="icon" href="([^"]+)"/), url).pathname)],
          [200, docs, visit("GET", "/docs")],
          [200, plain, visit("GET", "/openapi.json")],
          [200, plain, visit("GET", "/healthz")],
          [200, plain, visit("GET", "/readyz")],
          [404, plain, visit("GET", "/nowhere")],
          [404, plain, visit("POST", "/nowhere")],
          [200, api, visit("GET", `/api/v1/builds/${row.id}`, { headers: { authorization } })],
          [401, api, visit("GET", `/api/v1/builds/${row.id}`, { headers: { cookie } })],
          [404, api, visit("GET", "/api/v1/builds/none", { headers: { authorization } })],
          [404, api, visit("GET", "/api/nowhere", { headers: { accept } })],
          [405, api, visit("PUT", "/api/v1/builds", { headers: { authorization } })],
          [415, api, visit("POST", "/api/v1/builds", { headers: { authorization }, form: {} })],
          [403, object, visit("PUT", at(slots.bundle), { headers: { "content-type": "text/html" } })],
          [403, object, visit("GET", "/objects/uploads/none")],
          [403, object, visit("GET", "/preview-objects/a.b/bundle")]
        ]
        for (const [index, [status, said, asked]] of answers.entries()) {
          const answer = yield* asked
          const name = `answer ${index}: ${answer.status} ${answer.text.slice(0, 100)}`
          assert.strictEqual(answer.status, status, name)
          for (const [header, value] of Object.entries(said)) {
            const found = answer.headers.get(header)
            if (value instanceof RegExp) assert.match(found ?? "", value, `${header} of ${name}`)
            else assert.strictEqual(found, value, `${header} of ${name}`)
          }
          assert.strictEqual(
            answer.headers.get("strict-transport-security"),
            scheme === "https" ? "max-age=31536000" : null,
            name
          )
        }
        const stored = yield* put(slots.bundle, bundle)
        assert.strictEqual(stored.headers.get("cross-origin-resource-policy"), "cross-origin")
      })

      it.effect("let pages of any origin call the API with a key, but reach nothing else", function* () {
        const headers = {
          origin: "null",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type"
        }
        const asked = yield* visit("OPTIONS", "/api/v1/builds", { headers })
        assert.isTrue(asked.status >= 200 && asked.status < 300)
        assert.strictEqual(asked.headers.get("access-control-allow-origin"), "*")
        assert.strictEqual(asked.headers.get("access-control-allow-methods"), "GET, HEAD, OPTIONS, POST")
        assert.include(asked.headers.get("access-control-allow-headers") ?? "", "authorization, content-type")
        for (const path of ["/", "/sign-in", "/previews/none", "/openapi.json"]) {
          assert.isNull((yield* visit("OPTIONS", path, { headers })).headers.get("access-control-allow-origin"), path)
        }
      })
    })
  }
}

layer(TestHost.layer(enginesWithOwnUrls()[0] ?? assert.fail("no engines")))("a page over plain HTTP", (it) => {
  it.effect("doesn't request a separate browsing context, which browsers would report as an error", function* () {
    const { url } = yield* TestHost
    const { port } = new URL(url)
    for (const [host, policy] of [
      [`slipway.example:${port}`, null],
      [`localhost:${port}`, "same-origin"],
      ["[::1]", "same-origin"]
    ] as const) {
      const answer = yield* Effect.promise(
        () =>
          new Promise<unknown>((resolve, reject) => {
            get(`${url}/sign-in`, { headers: { host } }, (response) => {
              response.resume()
              resolve(response.headers["cross-origin-opener-policy"] ?? null)
            }).on("error", reject)
          })
      )
      assert.strictEqual(answer, policy, host)
    }
  })
})
