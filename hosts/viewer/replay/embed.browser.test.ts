/** Apps in pages of other sites, and pages with the name and the logo of their host, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll } from "vitest"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { uploadScript } from "../testing/app.ts"
import { Chromium, faultsOf, openPage, openSignedIn } from "../testing/chromium.ts"
import { signIn, visit } from "../testing/visit.ts"

/** The page of a team, at two names of this machine, which are two sites. It frames what its URL names. */
const dashboard = createServer(({ url = "/" }, response) =>
  response.end(
    `<!doctype html><title>Team</title><iframe width="402" height="600" src="${decodeURIComponent(url.slice(2))}">`
  )
).listen(0, "127.0.0.1")
await once(dashboard, "listening")
afterAll(() => void dashboard.close())
const address = dashboard.address()
const port = typeof address === "object" && address !== null ? address.port : 0
const allowed = `http://localhost:${port}`

const siteLogo = readFileSync(join(import.meta.dirname, "..", "..", "demo", "app", "assets", "sail.png"))
const settings = { frameAncestors: [allowed], siteName: "Acme <Mobile>", siteLogo }
const script = 'document.getElementById("root").textContent = "boat"'

layer(Layer.merge(TestHost.layer(inMemory, settings), Chromium.layer))("a page of another site", (it) => {
  it.effect("frames the app of a share link, if it is allowed, and nothing else", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestHost
      const { key } = yield* newAccount(["preview_upload"])
      const { shareId } = yield* uploadScript({ key }, script)
      const { json } = yield* call("POST", `/api/v1/previews/${shareId}/shares`, { key, body: {} })
      const shared = String(Object(json).url)
      const { page } = yield* openPage
      yield* Effect.promise(async () => {
        await page.goto(`${allowed}/?${encodeURIComponent(`${shared}/embed`)}`)
        const framed = page.frameLocator("iframe")
        await framed.frameLocator("iframe").locator("#root", { hasText: "boat" }).waitFor()
        assert.strictEqual((await framed.locator("body").innerText()).trim(), "", "the app alone")
        for (const [from, asked] of [
          [`http://127.0.0.1:${port}`, `${shared}/embed`],
          [allowed, shared],
          [allowed, `${url}/sign-in`]
        ]) {
          const refusal = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"))
          await page.goto(`${from}/?${encodeURIComponent(String(asked))}`)
          assert.include((await refusal).text(), new URL(String(asked)).origin, `${from} frames ${asked}`)
        }
        await page.goto(`${shared}/embed`)
        assert.strictEqual(page.url(), shared, "a tab shows whose app it is")
      })
    })
  )

  it.effect("gets the app of a build or preview with the session of its account alone", () =>
    Effect.gen(function* () {
      const { key } = yield* newAccount(["preview_upload"])
      const other = yield* newAccount(["preview_upload"])
      const { shareId } = yield* uploadScript({ key }, script)
      const path = `/previews/${shareId}/embed`
      const headers = { "sec-fetch-dest": "iframe" }
      const own = yield* visit("GET", path, { cookie: yield* signIn(key), headers })
      assert.include(own.headers.get("content-security-policy"), `frame-ancestors ${allowed}`)
      assert.strictEqual((yield* visit("GET", path, { cookie: yield* signIn(other.key), headers })).status, 404)
      // Where there is no app to show, the frame says what to do, and links to nothing that it can't show.
      for (const [at, status, text] of [
        [path, 401, "share link"],
        ["/builds/unknown/embed", 401, "share link"],
        [`/shared/${"x".repeat(32)}/embed`, 404, "Nothing here"]
      ] as const) {
        const answer = yield* visit("GET", at, { headers })
        assert.strictEqual(answer.status, status, at)
        assert.include(answer.headers.get("content-security-policy"), `frame-ancestors ${allowed}`, at)
        assert.include(answer.text, text)
        assert.notMatch(answer.text, /<a (?![^>]*target="_blank")|<form/)
        const alone = yield* visit("GET", at)
        assert.include(alone.headers.get("content-security-policy"), "frame-ancestors 'none'", at)
      }
    })
  )

  it.effect("the header and the title have the name and the logo of the host", () =>
    Effect.gen(function* () {
      const { url } = yield* TestHost
      const { key } = yield* newAccount(["preview_upload"])
      const { shareId } = yield* uploadScript({ key }, script)
      const { page } = yield* openSignedIn({ key }, `${url}/previews/${shareId}`)
      yield* Effect.promise(async () => {
        assert.match(await page.title(), / · Acme <Mobile>$/)
        const brand = page.getByRole("link", { name: "Acme <Mobile>" })
        assert.isAbove(await brand.locator("img").evaluate((logo: HTMLImageElement) => logo.naturalWidth), 0)
        assert.deepStrictEqual(await faultsOf(page), [])
      })
    })
  )
})

layer(TestHost.layer(inMemory))("without frameAncestors", (it) => {
  it.effect("no page frames an app", () =>
    Effect.gen(function* () {
      const { key } = yield* newAccount(["preview_upload"])
      const { shareId } = yield* uploadScript({ key }, script)
      const headers = { "sec-fetch-dest": "iframe" }
      const answer = yield* visit("GET", `/previews/${shareId}/embed`, { cookie: yield* signIn(key), headers })
      assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, `/previews/${shareId}/replay`])
    })
  )
})
