/** The pages on which owners make, see and revoke share links. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeQR } from "qr"
import { layer } from "../../../core/testing/layer.ts"
import { ShareLinkList } from "../../../core/api/shareLinks.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { readyPreview, registered, uploader } from "../../http/testing/previews.ts"
import { signIn, unescaped, visit } from "../testing/visit.ts"

/** The owner's share pages of a preview and of a run of it. */
const prepared = Effect.gen(function* () {
  const account = yield* uploader
  const { shareId } = yield* readyPreview(account)
  const run = yield* registered(account, shareId)
  return {
    account,
    shareId,
    cookie: yield* signIn(account.key),
    path: `/previews/${shareId}/shares`,
    runPath: `/runs/${run.id}/shares`
  }
})

/** The links to a preview or run, as the API lists them. */
const linksOf = Effect.fnUntraced(function* (key: string, path: string) {
  const host = yield* TestHost
  const { json } = yield* host.call("GET", `/api/v1${path.replace("/runs/", "/test-runs/")}`, { key })
  return (yield* Schema.decodeUnknownEffect(ShareLinkList)(json)).shares
})

/** The new link that a page shows, as the path of the shared page. */
const madeOn = (html: string): string =>
  new URL(/id="link"[^>]*value="([^"]+)"/.exec(unescaped(html))?.[1] ?? "").pathname

const revocations = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/action="[^"]*\/shares\/([^/"]+)\/revoke"/g)].map(([, id]) => id ?? "")

layer(TestHost.layer(inMemory))("the links to a preview", (it) => {
  it.effect("have a QR code for anyone, which says nothing of whether there is anything at the URL", function* () {
    const { shareId } = yield* prepared
    const { url } = yield* TestHost
    for (const path of [`/previews/${shareId}`, "/previews/none", "/builds/none", "/shared/none"]) {
      const answer = yield* Effect.promise(() => fetch(`${url}${path}/qr.gif`))
      assert.deepStrictEqual(
        [answer.status, ...["content-type", "cross-origin-resource-policy"].map((name) => answer.headers.get(name))],
        [200, "image/gif", "cross-origin"]
      )
      const drawn = new Uint8Array(yield* Effect.promise(() => answer.arrayBuffer()))
      assert.deepStrictEqual(drawn, encodeQR(url + path, "gif", { border: 4, scale: 4 }))
    }
    const unknown = yield* Effect.promise(() => fetch(`${url}/builds/a%2Fb/qr.gif`))
    assert.deepStrictEqual([unknown.status, unknown.headers.get("content-type")], [404, "application/problem+json"])
  })

  it.effect("are created and revoked by forms; each URL is shown once", function* () {
    const { account, cookie, path, runPath } = yield* prepared
    const { url } = yield* TestHost
    const headers = { origin: url }
    for (const page of [path, runPath]) {
      const made = yield* visit("POST", page, { cookie, headers, form: { seconds: "3600" } })
      assert.strictEqual(made.status, 200)
      assert.strictEqual(made.headers.get("cache-control"), "private, no-store, no-transform")
      const link = madeOn(made.text)
      assert.match(link, /^\/shared\/[0-9A-Za-z]{32}$/)
      assert.notInclude((yield* visit("GET", page, { cookie })).text, link)
      const [share] = yield* linksOf(account.key, page)
      assert.strictEqual(
        (share?.expiresAt.epochMilliseconds ?? 0) - (share?.createdAt.epochMilliseconds ?? 0),
        3_600_000
      )
      assert.strictEqual((yield* visit("GET", link)).status, 200)

      const [id = ""] = revocations(made.text)
      const revoked = yield* visit("POST", `${page}/${id}/revoke`, { cookie, headers })
      assert.strictEqual(revoked.status, 303)
      assert.strictEqual(revoked.headers.get("location"), page)
      assert.strictEqual((yield* visit("GET", link)).status, 410)
      assert.isEmpty(revocations((yield* visit("GET", page, { cookie })).text))
    }
  })

  it.effect("a lifetime that the form doesn't offer is replaced by a week", function* () {
    const { account, cookie, path } = yield* prepared
    const forms: ReadonlyArray<Record<string, string>> = [{}, { seconds: "1e9" }, { seconds: "x" }, { seconds: "-1" }]
    for (const form of forms) {
      assert.strictEqual((yield* visit("POST", path, { cookie, form })).status, 200)
    }
    const lives = (yield* linksOf(account.key, path)).map(
      ({ createdAt, expiresAt }) => expiresAt.epochMilliseconds - createdAt.epochMilliseconds
    )
    assert.deepStrictEqual(
      lives,
      forms.map(() => 7 * 86_400_000)
    )
  })

  it.effect("give no right to change anything, and accept only reading requests", function* () {
    const { cookie, path, runPath } = yield* prepared
    const { url } = yield* TestHost
    for (const page of [path, runPath]) {
      const link = madeOn((yield* visit("POST", page, { cookie })).text)
      for (const at of [link, `${link}/shares`, `${link}/view?recording=0`]) {
        assert.strictEqual((yield* visit("POST", at, { headers: { origin: url } })).status, 404, at)
      }
      assert.strictEqual((yield* visit("GET", link)).status, 200)
    }
  })

  it.effect("a hundred are a page, which leads to the older ones", function* () {
    const { account, cookie, path, shareId } = yield* prepared
    const host = yield* TestHost
    const make = host.call("POST", `/api/v1/previews/${shareId}/shares`, { key: account.key, body: {} })
    yield* Effect.forEach(Array.from({ length: 101 }), () => make)
    const newest = yield* visit("GET", path, { cookie })
    assert.lengthOf(revocations(newest.text), 100)
    const older = /href="([^"]*\/shares\?after=[^"]+)"/.exec(unescaped(newest.text))?.[1] ?? ""
    const last = yield* visit("GET", older, { cookie })
    assert.lengthOf(revocations(last.text), 1)
    assert.notInclude(revocations(newest.text), revocations(last.text)[0])
    assert.notInclude(unescaped(last.text), "?after=")
    assert.include(unescaped(last.text), `href="${path}"`)
  })

  it.effect("a malformed id is not found", function* () {
    const { cookie, path } = yield* prepared
    const { url } = yield* TestHost
    const headers = { origin: url }
    assert.strictEqual((yield* visit("GET", `${path}?after=%00`, { cookie })).status, 404)
    assert.strictEqual((yield* visit("POST", `${path}/%00/revoke`, { cookie, headers })).status, 404)
  })
})
