/** Slipway below a path of another server: uploads work, and every link, form and script of the pages stays below it. */
import { Layer, Redacted } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { Administration } from "../../core/service/Administration.ts"
import { createClient } from "../client/browser.ts"
import { makeSlipway } from "../http/slipway.ts"
import { layer as layerViewer } from "./routes.ts"
import { unescaped } from "./testing/visit.ts"

const base = "https://example.com/slipway"
const [owner, repo] = ["acme", "app"]
const scopes = ["builds", "preview_upload", "test_runs", "delete", "account_admin"] as const
const bundle = { body: new TextEncoder().encode("app()"), contentType: "text/javascript" }

/** Slipway at `base`, behind a proxy that passes the path of a request as `forwarded` says, and a key. */
const behind = async (forwarded: (path: string) => string) => {
  const secret = Redacted.make("signs URLs")
  const { ports, routes } = memory.engines({ url: base, secret })
  const pages = layerViewer({ secret })
  const slipway = makeSlipway({ settings: { url: base }, ports, routes: Layer.merge(routes, pages) })
  onTestFinished(() => slipway.dispose())
  await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
  await slipway.run(Administration.use((admin) => admin.linkRepository({ account: "acme", owner, repo })))
  const { key } = await slipway.run(
    Administration.use((admin) => admin.createKey({ account: "acme", name: "all", scopes }))
  )
  const fetch: typeof globalThis.fetch = (input, init) => {
    const asked = new Request(input, init)
    const { origin, pathname, search } = new URL(asked.url)
    assert.match(asked.url, /^https:\/\/example\.com\/slipway(?=[/?]|$)/)
    return slipway.fetch(new Request(origin + forwarded(pathname) + search, asked))
  }
  return { fetch, key }
}

/** A build, a preview with a file and a run that refers to it. */
const upload = async ({ fetch, key }: Awaited<ReturnType<typeof behind>>) => {
  const client = createClient({ url: base, key, fetch, retries: 0 })
  const build = await client.builds.upload({
    owner,
    repo,
    branch: "main",
    platform: "ios",
    commitSha: "a".repeat(40),
    bundle
  })
  const { shareId } = await client.previews.upload({
    owner,
    repo,
    bundle,
    files: [{ path: "strings.json", body: new TextEncoder().encode("{}"), contentType: "application/json" }]
  })
  const run = { owner, repo, branch: "main", previewShareId: shareId, source: "github:1" }
  await client.testRuns.register({
    ...run,
    kind: "maestro",
    name: "Pay",
    status: "failed",
    failureMessage: "No button"
  })
  return build
}

const kept = /^https:\/\/example\.com\/slipway\//

/** Follows every link, script, image and frame of the pages from the home page on, and answers their paths. */
const crawl = async (fetch: typeof globalThis.fetch, cookie: string): Promise<ReadonlySet<string>> => {
  const seen = new Set([`${base}/`])
  for (const url of seen) {
    const answer = await fetch(url, { headers: { cookie, accept: "text/html" }, redirect: "manual" })
    const location = answer.headers.get("location")
    assert.include(location === null ? [200] : [303], answer.status, url)
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true && !url.includes("/replay/")
    const html = isPage ? await answer.text() : ""
    const links = Array.from(html.matchAll(/\s(href|src|action)="([^"]*)"/g), ([, name, target = ""]) => ({
      name,
      target: new URL(unescaped(target), url)
    }))
    if (location !== null) links.push({ name: "href", target: new URL(location, url) })
    for (const { name, target } of links) {
      if (target.protocol === "data:") continue
      assert.match(target.href, kept, `${name} of ${url}`)
      target.hash = ""
      // Of pages that differ in their query alone, such as the sorted ones, the first is enough.
      if (name !== "action" && !Array.from(seen).some((one) => one.split("?", 1)[0] === target.href.split("?", 1)[0]))
        seen.add(target.href)
    }
  }
  return new Set(Array.from(seen, (url) => new URL(url).pathname.slice("/slipway".length)))
}

describe.each([
  ["keeps", (path: string) => path],
  ["removes", (path: string) => path.replace(/^\/slipway/, "") || "/"]
] as const)("behind a proxy that %s the path", (_, forwarded) => {
  it("a client uploads, and the API names its URLs", async () => {
    const host = await behind(forwarded)
    const build = await upload(host)
    assert.include(build, { status: "ready", url: `${base}/builds/${build.id}` })
    const read = await host.fetch(`${base}/api/v1/builds/${build.id}`, {
      headers: { authorization: `Bearer ${host.key}` }
    })
    assert.strictEqual(read.headers.get("access-control-allow-origin"), "*")
    const { servers } = await (await host.fetch(`${base}/openapi.json`)).json()
    assert.deepStrictEqual(servers, [{ url: base }])
    const reference = await (await host.fetch(`${base}/docs`)).text()
    assert.include(reference, 'href="./openapi.json"')
    assert.include(reference, 'fetch("." + path')
  })

  it("the pages, their cookie and their links stay below it", async () => {
    const host = await behind(forwarded)
    await upload(host)
    const nobody = await host.fetch(base, { redirect: "manual" })
    assert.deepStrictEqual([nobody.status, nobody.headers.get("location")], [303, "/slipway/sign-in"])
    const body = new URLSearchParams({ key: host.key, to: "/" })
    const signedIn = await host.fetch(`${base}/sign-in`, { method: "POST", body, redirect: "manual" })
    assert.strictEqual(signedIn.headers.get("location"), "/slipway/")
    const [cookie = ""] = signedIn.headers.getSetCookie()
    assert.match(cookie, /^__Secure-slipway=.*; Path=\/slipway;/)
    const paths = [...(await crawl(host.fetch, cookie.split(";")[0] ?? ""))]
    for (const page of [
      /^\/builds\//,
      /^\/previews\//,
      /^\/runs\//,
      /^\/replay\//,
      /^\/viewer-assets\//,
      /^\/account\/keys$/
    ])
      assert.isTrue(
        paths.some((path) => page.test(path)),
        String(page)
      )
  })
})
