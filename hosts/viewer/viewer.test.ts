/** The viewer's pages and how people sign in, over real HTTP. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../core/testing/layer.ts"
import { inMemory } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { commit, declaredFiles, readyBuild, reserve, sha256 } from "../http/testing/uploads.ts"
import { accountWithRuns } from "./testing/previews.ts"
import { cookieOf, frameOf, hostedBuild, signIn, unescaped, visit } from "./testing/visit.ts"

layer(TestHost.layer(inMemory))("the viewer", (it) => {
  it.effect("the right key signs in and leads back to where it was asked for", function* () {
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

  it.effect("a wrong key gets the form again, which doesn't repeat it", function* () {
    for (const key of ["", "nonsense", `slip_${"a".repeat(46)}`]) {
      const answer = yield* visit("POST", "/sign-in", { form: { key, to: "/builds/x" } })
      assert.strictEqual(answer.status, 401)
      assert.deepStrictEqual(answer.headers.getSetCookie(), [])
      assert.match(answer.text, /role="alert"/)
      assert.match(answer.text, /name="to" value="\/builds\/x"/)
      if (key !== "") assert.notInclude(answer.text, key)
    }
  })

  it.effect("what is no sign-in form gets the form", function* () {
    assert.strictEqual((yield* visit("POST", "/sign-in", { form: {} })).status, 400)
    const twice = { headers: { "content-type": "application/x-www-form-urlencoded" } }
    assert.strictEqual((yield* visit("POST", "/sign-in", twice)).status, 400)
  })

  it.effect("nobody is signed in or out by another site", function* () {
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

  it.effect("signing in redirects to no other site", function* () {
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

  it.effect("a cookie that was tampered with, or made for something else, is none", function* () {
    const { cookie, path } = yield* hostedBuild(yield* newAccount())
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

  it.effect("who isn't signed in gets the same page for what exists and what doesn't", function* () {
    const { path } = yield* hostedBuild(yield* newAccount())
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

  it.effect("a key without the scope is refused before anything is looked up", function* () {
    const host = yield* TestHost
    const account = yield* newAccount()
    const { path } = yield* hostedBuild(account)
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

  it.effect("a ready build's page has its facts and runs the bundle", function* () {
    const account = yield* newAccount()
    const { cookie, path, row } = yield* hostedBuild(account, {
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
    assert.match(text, /<iframe[^>]*\swidth="411"\s+height="923"/)
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
    assert.strictEqual(headers.get("cache-control"), "private, no-store, no-transform")
    assert.strictEqual((yield* visit("HEAD", path, { cookie })).status, 200)
  })

  it.effect("a build's page lists the runs of its commit and platform, those that failed first", function* () {
    const { account, cookie, ran } = yield* accountWithRuns(["builds", "preview_upload", "test_runs"])
    const { owner, repo } = account
    const { row } = yield* readyBuild(account, {
      owner,
      repo,
      branch: "main",
      commitSha: commit(1),
      platform: "ios"
    })
    const [ios, android] = [{ device: { platform: "ios" } }, { device: { platform: "android" } }]
    yield* ran(1, "Lock", "failed", ios)
    yield* Effect.forEach(
      Array.from({ length: 12 }, (_, n) => n),
      (n) => ran(1, `Pay ${n}`, "passed", n === 0 ? {} : ios)
    )
    yield* ran(1, "Back", "failed", android)
    // A run of another commit, and newer than 50 others.
    yield* Effect.forEach(
      Array.from({ length: 51 }, (_, n) => n),
      (n) => ran(2, `Later ${n}`, "failed", ios),
      { concurrency: 5 }
    )
    const { text } = yield* visit("GET", `/builds/${row.id}`, { cookie })
    const [, card = ""] = text.split('aria-labelledby="runs"')
    const names = Array.from(card.matchAll(/<span class="name"><bdi>([^<]*)/g), ([, name]) => name)
    assert.deepStrictEqual(names.slice(0, 2), ["Lock", "Pay 11"])
    assert.lengthOf(names, 10)
    assert.match(card, /10 of\s+13; all of\s+<a href="\/sources\?/)
  })

  it.effect("a build that is uploading shows that and looks again; it has no replay", function* () {
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

  it.effect("an unknown address is a page for people, and a problem for other clients", function* () {
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
})

layer(TestHost.layer(inMemory, { viewerUrl: "https://viewer.example/slipway/" }))("the viewer behind a proxy", (it) => {
  it.effect("paths have the prefix that the proxy removes; the cookie is for HTTPS and this host only", function* () {
    const host = yield* TestHost
    const account = yield* newAccount()
    const answer = yield* visit("POST", "/sign-in", {
      form: { key: account.key, to: "/builds/x" },
      headers: { origin: "https://viewer.example" }
    })
    assert.strictEqual(answer.headers.get("location"), "/slipway/builds/x")
    assert.match(answer.headers.getSetCookie()[0] ?? "", /^__Secure-slipway=(?!.*Domain).*; Path=\/slipway;.*; Secure/)
    const { row } = yield* readyBuild(account)
    const page = yield* visit("GET", `/builds/${row.id}`, { cookie: cookieOf(answer) })
    assert.include(unescaped(page.text), `https://viewer.example/slipway/builds/${row.id}/replay`)
    assert.match(page.text, /action="\/slipway\/sign-out"/)
    const frame = frameOf(page.text)
    assert.match(frame, /^\/slipway\/replay\//)
    const policy = (yield* visit("GET", frame.slice("/slipway".length))).headers.get("content-security-policy") ?? ""
    assert.include(policy, `connect-src https://viewer.example${frame} ${host.url.slice("http://".length)}${frame} `)
  })
})
