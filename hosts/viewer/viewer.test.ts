/** The viewer's pages and the documents of a replay, over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { gzipSync } from "node:zlib"
import { Unavailable } from "../../core/model/Problem.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { makeKey } from "../../core/rules/secrets.ts"
import { testEngines } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import {
  asRow,
  bundle,
  commit,
  data,
  declaredFiles,
  finalize,
  put,
  readyBuild,
  reserve,
  sha256,
  style,
  type Account
} from "../http/testing/uploads.ts"
import { cookieOf, frameOf, signIn, unescaped, visit, withoutOwnScripts } from "./testing/visit.ts"

/** A ready build with two files, and the cookie of who is signed in to its account. */
const hosted = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const reservation = yield* reserve(account, { files: declaredFiles, ...fields })
  yield* put(reservation.slots.bundle, bundle)
  for (const [index, bytes] of [style, data].entries()) {
    const slot = reservation.slots.files[index]
    if (slot !== undefined) yield* put(slot, bytes)
  }
  const row = yield* asRow((yield* finalize(account, reservation.token)).json)
  return { row, path: `/builds/${row.id}`, cookie: yield* signIn(account.key) }
})

/** Keys that can't be looked up just now. */
const unreachable = Layer.effect(
  KeyStore,
  Effect.map(KeyStore, (keys) =>
    KeyStore.of({
      ...keys,
      findByHash: () => Effect.fail(Unavailable.answer),
      findById: () => Effect.fail(Unavailable.answer)
    })
  )
)

/** Objects that are counted while they are open. */
const counted = () => {
  const count = { opened: 0, open: 0 }
  const begin = Effect.sync(() => {
    count.opened += 1
    count.open += 1
  })
  const end = Effect.sync(() => {
    count.open -= 1
  })
  const objects = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) =>
      ObjectStore.of({
        ...store,
        read: (key, range) =>
          Effect.andThen(
            Effect.acquireRelease(begin, () => end),
            store.read(key, range)
          )
      })
    )
  )
  return { count, objects }
}

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`the viewer on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("the right key signs in and leads back to where it was asked for", () =>
      Effect.gen(function* () {
        const { key, name } = yield* newAccount()
        const answer = yield* visit("POST", "/sign-in", { form: { key: ` ${key}\n`, to: "/builds/x/replay" } })
        assert.strictEqual(answer.status, 303)
        assert.strictEqual(answer.headers.get("location"), "/builds/x/replay")
        const [cookie = "", ...others] = answer.headers.getSetCookie()
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(cookie.split("; ").slice(1).toSorted(), [
          "HttpOnly",
          "Max-Age=604800",
          "Path=/",
          "SameSite=Lax"
        ])
        assert.match(cookie, /^slipway=[\w-]{43};/)
        const home = yield* visit("GET", "/", { cookie: cookieOf(answer) })
        assert.strictEqual(home.status, 200)
        assert.include(home.text, name)
      })
    )

    it.effect("a wrong key gets the form again, which doesn't repeat it", () =>
      Effect.gen(function* () {
        for (const key of ["", "nonsense", `slip_${"a".repeat(46)}`]) {
          const answer = yield* visit("POST", "/sign-in", { form: { key, to: "/builds/x" } })
          assert.strictEqual(answer.status, 401)
          assert.deepStrictEqual(answer.headers.getSetCookie(), [])
          assert.match(answer.text, /role="alert"/)
          assert.match(answer.text, /name="to" value="\/builds\/x"/)
          if (key !== "") assert.notInclude(answer.text, key)
        }
      })
    )

    it.effect("what is no sign-in form gets the form", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* visit("POST", "/sign-in", { form: {} })).status, 400)
        const twice = { headers: { "content-type": "application/x-www-form-urlencoded" } }
        assert.strictEqual((yield* visit("POST", "/sign-in", twice)).status, 400)
      })
    )

    it.effect("nobody is signed in or out by another site", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { key } = yield* newAccount()
        const foreign: ReadonlyArray<Record<string, string>> = [
          { origin: "https://evil.example" },
          { origin: "null" },
          { origin: host.url.replace("http:", "https:").replace(/\d+$/, "1") },
          { origin: host.url, "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" }
        ]
        for (const headers of foreign) {
          for (const path of ["/sign-in", "/sign-out"]) {
            const answer = yield* visit("POST", path, { form: { key, to: "/" }, headers })
            assert.strictEqual(answer.status, 403, JSON.stringify(headers))
            assert.deepStrictEqual(answer.headers.getSetCookie(), [])
          }
        }
        for (const headers of [{ origin: host.url }, { origin: host.url, "sec-fetch-site": "same-origin" }]) {
          assert.strictEqual((yield* visit("POST", "/sign-in", { form: { key }, headers })).status, 303)
        }
      })
    )

    it.effect("signing in redirects to no other site", () =>
      Effect.gen(function* () {
        const { key } = yield* newAccount()
        for (const to of [
          "https://evil.example/",
          "//evil.example",
          "/\\evil.example",
          "/\t/evil.example",
          "/x//evil.example",
          "javascript:alert(1)",
          "builds/x",
          "/a b",
          ""
        ]) {
          const answer = yield* visit("POST", "/sign-in", { form: { key, to } })
          assert.strictEqual(answer.headers.get("location"), "/", to)
          const form = yield* visit("GET", `/sign-in?${new URLSearchParams({ to })}`)
          assert.match(form.text, /name="to" value="\/"/)
        }
      })
    )

    it.effect("a cookie that was tampered with, or made for something else, is none", () =>
      Effect.gen(function* () {
        const { cookie, path } = yield* hosted(yield* newAccount())
        const others = yield* signIn((yield* newAccount()).key)
        const capability = frameOf((yield* visit("GET", path, { cookie })).text).split("/")[2]
        for (const forged of [
          cookie.slice(0, 20) + others.slice(20),
          `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`,
          cookie.slice(0, -1),
          `${cookie}A`,
          `slipway=${cookie.slice("slipway=".length).toUpperCase()}`,
          "slipway=",
          `slipway=${capability}`,
          "slipway=%00"
        ]) {
          assert.strictEqual((yield* visit("GET", path, { cookie: forged })).status, 401, forged)
        }
        assert.strictEqual((yield* visit("GET", path, { cookie })).status, 200)
      })
    )

    it.effect("who isn't signed in gets the same page for what exists and what doesn't", () =>
      Effect.gen(function* () {
        const { path } = yield* hosted(yield* newAccount())
        const nowhere = path.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
        for (const tail of ["", "/replay"]) {
          const [there, not] = [yield* visit("GET", path + tail), yield* visit("GET", nowhere + tail)]
          assert.strictEqual(there.status, 401)
          assert.strictEqual(not.status, 401)
          assert.strictEqual(there.text.replaceAll(path, nowhere), not.text)
          assert.match(there.text, new RegExp(`name="to" value="${path}${tail}"`))
          assert.strictEqual(there.headers.get("www-authenticate"), "Cookie")
        }
      })
    )

    it.effect("a key without the scope is refused before anything is looked up", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const account = yield* newAccount()
        const { path } = yield* hosted(account)
        const issued = yield* host.admin.createKey({ account: account.name, name: "tests", scopes: ["test_runs"] })
        const cookie = yield* signIn(issued.key)
        const answer = yield* visit("GET", path, { cookie })
        assert.strictEqual(answer.status, 403)
        assert.include(answer.text, "scope builds")
        const to = (asked: string) => `/sign-in?${new URLSearchParams({ to: asked })}"`
        const text = unescaped(answer.text)
        assert.include(text, to(path))
        const unknown = yield* visit("GET", "/builds/unknown", { cookie })
        assert.strictEqual(unescaped(unknown.text), text.replace(to(path), to("/builds/unknown")))
      })
    )

    it.effect("a ready build's page has its facts and runs the bundle", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const { cookie, path, row } = yield* hosted(account, {
          branch: "feature/ünïcode-🚢",
          platform: "android",
          entry: "app/main.js",
          bundleOrigin: "http://localhost:8081",
          deviceSpec: { width: 412, height: 915 }
        })
        const { headers, status, text } = yield* visit("GET", path, { cookie })
        assert.strictEqual(status, 200)
        const page = unescaped(text)
        for (const fact of [
          "Ready",
          row.owner,
          row.repo,
          row.branch,
          "Android",
          row.commitSha,
          row.contentHash,
          `${row.bundleSizeBytes} bytes`,
          row.bundleContentType,
          "app/main.js",
          "http://localhost:8081",
          "412 × 915",
          row.url,
          row.previewUrl ?? "no preview URL",
          ...declaredFiles.flatMap((file) => [
            file.path,
            file.contentType,
            file.contentHash ?? "",
            `${file.sizeBytes} bytes`
          ]),
          "1970-01-0"
        ]) {
          assert.include(page, fact)
        }
        assert.match(text, /<iframe[^>]*\ssandbox="allow-scripts"/)
        assert.match(text, /<iframe[^>]*\swidth="402"\s+height="874"/)
        assert.notInclude(text, "http-equiv")
        const policy = headers.get("content-security-policy") ?? ""
        const styles = Array.from(text.matchAll(/<style\b[^>]*>(.*?)<\/style>/gs), ([, css]) => {
          const digest = sha256(new TextEncoder().encode(css))
          return `'sha256-${Buffer.from(digest, "hex").toString("base64")}'`
        })
        assert.isNotEmpty(styles)
        const script = /<script type="module" src="(\/viewer-assets\/replay-[0-9a-f]{16}\.js)"/.exec(text)?.[1] ?? ""
        const parser = /\sdata-flow-parser="(\/viewer-assets\/flowParser-[0-9a-f]{16}\.js)"/.exec(text)?.[1] ?? ""
        const worker = /\sdata-listener="(\/viewer-assets\/listener-[0-9a-f]{16}\.js)"/.exec(text)?.[1] ?? ""
        const { url } = yield* TestHost
        assert.strictEqual(
          policy,
          `default-src 'none'; style-src ${styles.join(" ")}; script-src ${url}${script} ${url}${parser}; connect-src 'self'; ` +
            `worker-src ${url}${worker}; ` +
            "img-src 'self'; media-src 'self'; frame-src 'self'; " +
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("referrer-policy"), "same-origin")
        assert.strictEqual(headers.get("cross-origin-opener-policy"), "same-origin")
        assert.strictEqual(headers.get("cross-origin-resource-policy"), "same-origin")
        assert.strictEqual(headers.get("cache-control"), "private, no-store")
        assert.strictEqual((yield* visit("HEAD", path, { cookie })).status, 200)
      })
    )

    it.effect("uploaded text is shown as plain text", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e!${"W".repeat(900)}`
        const { cookie, path } = yield* hosted(account, {
          branch: hostile,
          entry: hostile,
          bundleOrigin: `javascript:alert(${"1".repeat(500)})`,
          files: [{ ...declaredFiles[0], path: `${hostile}/"><b>` }, declaredFiles[1]]
        })
        for (const page of [path, `${path}/replay`]) {
          const { status, text } = yield* visit("GET", page, { cookie })
          assert.strictEqual(status, 200)
          assert.notInclude(withoutOwnScripts(text), "<script")
          assert.notInclude(text, "<img")
          assert.notInclude(text, "<b>")
          assert.notMatch(text, /(?:href|src)="javascript/)
          assert.include(unescaped(text), page === path ? hostile : hostile.slice(0, 59))
        }
        const index = yield* visit("GET", frameOf((yield* visit("GET", path, { cookie })).text))
        // The bridge, what looks where the document stands, and what that writes.
        assert.strictEqual(index.text.match(/<script/g)?.length, 3)
        assert.notInclude(index.text, "alert(1)>")
      })
    )

    it.effect("a build that is uploading shows that and looks again; it has no replay", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const { id } = yield* reserve(account)
        const cookie = yield* signIn(account.key)
        const page = yield* visit("GET", `/builds/${id}`, { cookie })
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "Uploading")
        assert.match(page.text, /<meta http-equiv="refresh" content="5"/)
        assert.notInclude(page.text, "<iframe")
        assert.strictEqual((yield* visit("GET", `/builds/${id}/replay`, { cookie })).status, 404)
        yield* TestClock.adjust("2 hours")
        const later = yield* visit("GET", `/builds/${id}`, { cookie })
        assert.include(later.text, "Expired")
        assert.notInclude(later.text, "http-equiv")
      })
    )

    it.effect("the replay alone is the frame, below a bar that names its owner", () =>
      Effect.gen(function* () {
        const { cookie, path, row } = yield* hosted(yield* newAccount())
        const { headers, status, text } = yield* visit("GET", `${path}/replay`, { cookie })
        assert.strictEqual(status, 200)
        const [, bar = "", frame = ""] =
          /<body>\s*<header>(.*)<\/header>\s*<main>(.*)<\/main>\s*<\/body>/s.exec(text) ?? []
        assert.match(frame, /^<iframe[^>]*><\/iframe>$/)
        assert.match(unescaped(frame), /\sallow="[^"]*camera 'none'; /)
        for (const fact of ["not a part of Slipway", `${row.owner}/${row.repo}`, row.commitSha.slice(0, 7)]) {
          assert.include(unescaped(bar), fact)
        }
        assert.include(bar, `<a href="${path}">`)
        assert.include(headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
        assert.strictEqual((yield* visit("GET", frameOf(text))).status, 200)
      })
    )

    it.effect("the replay's documents need no session and are given to a sandbox only", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { cookie, path } = yield* hosted(yield* newAccount())
        const frame = frameOf((yield* visit("GET", path, { cookie })).text)
        assert.match(frame, /^\/replay\/[\w-]+\.[\w-]{43}\/$/)
        const own = host.url + frame
        for (const [file, status] of [
          ["", 200],
          ["index.js", 200],
          ["assets/style.css", 200],
          ["nothing.js", 404]
        ] as const) {
          const { headers, ...answer } = yield* visit("GET", frame + file)
          assert.strictEqual(answer.status, status, file)
          assert.deepStrictEqual(headers.getSetCookie(), [])
          assert.strictEqual(
            headers.get("content-security-policy"),
            "sandbox allow-scripts; default-src 'none'; " +
              `script-src ${own} 'unsafe-inline' 'unsafe-eval' blob: data:; style-src ${own} 'unsafe-inline'; ` +
              `img-src ${own} blob: data:; media-src ${own} blob: data:; font-src ${own} data:; ` +
              `connect-src ${own} blob: data:; worker-src blob:; ` +
              "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
          )
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(headers.get("x-dns-prefetch-control"), "off")
          assert.match(headers.get("permissions-policy") ?? "", /^(?:[a-z-]+=\(\), )+[a-z-]+=\(\)$/)
          assert.strictEqual(headers.get("access-control-allow-origin"), "*")
          assert.strictEqual(headers.get("cache-control"), "private, no-store")
          assert.strictEqual(headers.get("cross-origin-resource-policy"), "cross-origin")
        }
        const index = yield* visit("GET", frame)
        assert.match(index.text, /<div id="root"><\/div>\s*<script data-script='<script src="\.\/index\.js" /)
        assert.match(index.text, /<meta name="viewport"/)
        const preflight = yield* visit("OPTIONS", `${frame}index.js`)
        assert.strictEqual(preflight.status, 204)
        assert.strictEqual(preflight.headers.get("access-control-allow-headers"), "range, if-range")
      })
    )

    it.effect("bundle and files are served by path, whole or by range", () =>
      Effect.gen(function* () {
        const paths = ["söme dir/50% off;v=1?#.css", "data.json"]
        const files = declaredFiles.map((file, index) => ({ ...file, path: paths[index] }))
        const { cookie, path } = yield* hosted(yield* newAccount(), { entry: "./dist/main app.js", files })
        const frame = frameOf((yield* visit("GET", path, { cookie })).text)
        assert.include((yield* visit("GET", frame)).text, `data-script='<script src="./dist/main%20app.js"`)

        const script = yield* visit("GET", `${frame}dist/main%20app.js`)
        assert.strictEqual(script.text, new TextDecoder().decode(bundle))
        assert.strictEqual(script.headers.get("content-type"), "text/javascript")
        const css = yield* visit("GET", `${frame}${paths[0]?.split("/").map(encodeURIComponent).join("/")}`)
        assert.strictEqual(css.text, new TextDecoder().decode(style))
        assert.strictEqual(css.headers.get("content-type"), "text/css")

        const part = yield* visit("GET", `${frame}data.json`, { headers: { range: "bytes=2-7" } })
        assert.strictEqual(part.status, 206)
        assert.strictEqual(part.text, "answer")
        assert.strictEqual(part.headers.get("content-range"), `bytes 2-7/${data.byteLength}`)
        const outside = yield* visit("GET", `${frame}data.json`, { headers: { range: "bytes=99-" } })
        assert.strictEqual(outside.status, 416)
        assert.strictEqual(outside.headers.get("content-range"), `bytes */${data.byteLength}`)
        assert.strictEqual(outside.headers.get("access-control-allow-origin"), "*")

        const head = yield* visit("HEAD", `${frame}data.json`)
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        assert.strictEqual(head.headers.get("content-length"), String(data.byteLength))

        for (const missing of [
          "index.js",
          "main app.js",
          "dist",
          "dist/",
          "data.json/",
          "../data.json",
          "%2e%2e/x",
          "%ff"
        ]) {
          assert.strictEqual((yield* visit("GET", frame + missing)).status, 404, missing)
        }
      })
    )

    it.effect("a compressed bundle runs", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const cookie = yield* signIn(account.key)
        const packed = new Uint8Array(gzipSync(bundle))
        for (const [index, { bundleContentType, headers, shown }] of [
          { bundleContentType: "application/gzip", headers: {}, shown: "text/javascript; charset=utf-8" },
          {
            bundleContentType: "application/javascript",
            headers: { "content-encoding": "gzip" },
            shown: "application/javascript"
          }
        ].entries()) {
          const reservation = yield* reserve(account, {
            commitSha: commit(index),
            bundleContentType,
            bundleSizeBytes: packed.byteLength
          })
          yield* put(reservation.slots.bundle, packed, headers)
          assert.strictEqual((yield* finalize(account, reservation.token)).status, 201)
          const page = yield* visit("GET", `/builds/${reservation.id}`, { cookie })
          const script = yield* visit("GET", `${frameOf(page.text)}index.js`)
          assert.strictEqual(script.headers.get("content-encoding"), "gzip")
          assert.strictEqual(script.headers.get("content-type"), shown)
          assert.strictEqual(script.text, new TextDecoder().decode(bundle))
        }
      })
    )

    it.effect("an entry that no URL can lead to is index.js", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const cookie = yield* signIn(account.key)
        for (const [index, [entry, shown]] of [
          ["../../escape.js", "./index.js"],
          ["//evil.example/x.js", "./index.js"],
          ["a\\b.js", "./index.js"],
          ["/abs.js", "./abs.js"],
          ["https://evil.example/x.js", "./index.js"],
          ["x:y.js", "./x%3Ay.js"]
        ].entries()) {
          const { row } = yield* readyBuild(account, { entry, commitSha: commit(index) })
          const frame = frameOf((yield* visit("GET", `/builds/${row.id}`, { cookie })).text)
          const script = /<script data-script='<script src="([^"]+)"/.exec((yield* visit("GET", frame)).text)?.[1] ?? ""
          assert.strictEqual(script, shown)
          assert.strictEqual((yield* visit("GET", frame + script.slice(2))).status, 200)
        }
      })
    )

    it.effect("a capability ends after an hour", () =>
      Effect.gen(function* () {
        const { cookie, path } = yield* hosted(yield* newAccount())
        const frame = frameOf((yield* visit("GET", path, { cookie })).text)
        yield* TestClock.adjust("59 minutes")
        assert.strictEqual((yield* visit("GET", frame)).status, 200)
        yield* TestClock.adjust("1 minute")
        for (const file of ["", "index.js"]) {
          const answer = yield* visit("GET", frame + file)
          assert.strictEqual(answer.status, 403)
          assert.match(answer.headers.get("content-security-policy") ?? "", /^sandbox/)
        }
      })
    )

    it.effect("a capability opens its build and no other, and can't be made up", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const { cookie, path } = yield* hosted(account)
        const another = yield* hosted(account, { commitSha: commit(2) })
        const capability = Effect.fnUntraced(function* (page: string) {
          return frameOf((yield* visit("GET", page, { cookie })).text).split("/")[2] ?? ""
        })
        const [one, other] = [yield* capability(path), yield* capability(another.path)]
        assert.notStrictEqual(one.split(".")[0], other.split(".")[0])
        const session = cookie.slice("slipway=".length)
        for (const forged of [
          `${other.split(".")[0]}.${one.split(".")[1]}`,
          `${one.split(".")[0]}.${"A".repeat(43)}`,
          `${session}.${session}`
        ]) {
          assert.strictEqual((yield* visit("GET", `/replay/${forged}/`)).status, 403)
        }
        for (const nothing of ["/replay", "/replay/", `/replay/${one}`, `/replay/x;y/`, `/replay/%00.x/`]) {
          assert.strictEqual((yield* visit("GET", nothing)).status, 404, nothing)
        }
      })
    )

    it.effect("an unknown address is a page for people, and a problem for other clients", () =>
      Effect.gen(function* () {
        const accept = "text/html,application/xhtml+xml,*/*;q=0.8"
        for (const path of ["/nope", "/builds", "/previews/", "/a/b/c"]) {
          const page = yield* visit("GET", path, { headers: { accept } })
          assert.strictEqual(page.status, 404, path)
          assert.include(page.text, "<h1>Nothing here")
          const answer = yield* visit("GET", path)
          assert.strictEqual(answer.status, 404, path)
          assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
        }
        const api = yield* visit("GET", "/api/v1/nope", { headers: { accept } })
        assert.strictEqual(api.headers.get("content-type"), "application/problem+json")
      })
    )
  })

  layer(TestHost.layer(engines, { viewerUrl: "https://viewer.example/slipway/" }))(
    `the viewer behind a proxy, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect("paths have the prefix that the proxy removes; the cookie is for HTTPS and this host only", () =>
        Effect.gen(function* () {
          const host = yield* TestHost
          const account = yield* newAccount()
          const answer = yield* visit("POST", "/sign-in", {
            form: { key: account.key, to: "/builds/x" },
            headers: { origin: "https://viewer.example" }
          })
          assert.strictEqual(answer.headers.get("location"), "/slipway/builds/x")
          assert.match(
            answer.headers.getSetCookie()[0] ?? "",
            /^__Secure-slipway=(?!.*Domain).*; Path=\/slipway;.*; Secure/
          )
          const { row } = yield* readyBuild(account)
          const page = yield* visit("GET", `/builds/${row.id}`, { cookie: cookieOf(answer) })
          assert.include(unescaped(page.text), `https://viewer.example/slipway/builds/${row.id}/replay`)
          assert.match(page.text, /action="\/slipway\/sign-out"/)
          const frame = frameOf(page.text)
          assert.match(frame, /^\/slipway\/replay\//)
          const policy =
            (yield* visit("GET", frame.slice("/slipway".length))).headers.get("content-security-policy") ?? ""
          assert.include(
            policy,
            `connect-src https://viewer.example${frame} ${host.url.slice("http://".length)}${frame} `
          )
        })
      )
    }
  )

  layer(TestHost.layer({ ...engines, ports: Layer.provideMerge(unreachable, engines.ports) }))(
    `the viewer when ${engines.metadata} is out of reach`,
    (it) => {
      it.effect("answers 503 with a page", () =>
        Effect.gen(function* () {
          const key = makeKey("a".repeat(40))
          const answer = yield* visit("POST", "/sign-in", { form: { key, to: "/" } })
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(answer.headers.get("retry-after"), "5")
          assert.include(answer.text, "<h1>Temporarily unavailable")
        })
      )
    }
  )

  const { count, objects } = counted()
  layer(TestHost.layer({ ...engines, ports: Layer.provideMerge(objects, engines.ports) }))(
    `the objects that a frame reads on ${engines.objects}`,
    (it) => {
      it.effect("is closed with its request", () =>
        Effect.gen(function* () {
          const { cookie, path } = yield* hosted(yield* newAccount(), { files: declaredFiles })
          const frame = frameOf((yield* visit("GET", path, { cookie })).text)
          const before = count.opened
          assert.strictEqual((yield* visit("GET", `${frame}index.js`)).status, 200)
          assert.strictEqual((yield* visit("GET", `${frame}index.js`, { headers: { range: "bytes=0-1" } })).status, 206)
          assert.strictEqual((yield* visit("GET", `${frame}index.js`, { headers: { range: "bytes=-0" } })).status, 416)
          assert.strictEqual((yield* visit("HEAD", `${frame}index.js`)).status, 200)
          assert.strictEqual(count.opened, before + 4)
          // A request is over just after its answer.
          yield* TestClock.withLive(
            Effect.repeat(
              Effect.sync(() => count.open),
              { schedule: Schedule.spaced("10 millis"), while: (open) => open > 0 }
            )
          )
          assert.strictEqual(count.open, 0)
        })
      )
    }
  )
}
