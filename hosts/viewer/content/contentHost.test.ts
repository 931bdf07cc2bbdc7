/** Uploaded content on a separate host name, over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { request } from "node:http"
import { CreateShareLinkResponse } from "../../../core/api/shareLinks.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { bytes, readyBuild } from "../../http/testing/uploads.ts"
import { uploadPreview } from "../testing/previews.ts"
import { frameOf, objectsOf, signIn, visit } from "../testing/visit.ts"

const account = newAccount(["builds", "preview_upload"])

/** Sends a request with another `Host` header, which `fetch` can't do. */
const askAs = Effect.fnUntraced(function* (host: string, path: string, cookie = "") {
  const { url } = yield* TestHost
  return yield* Effect.promise(
    () =>
      new Promise<{ readonly status: number; readonly policy: string }>((resolve, reject) => {
        request(new URL(path, url), { headers: { host, cookie } }, (answer) => {
          answer.resume()
          resolve({ status: answer.statusCode ?? 0, policy: String(answer.headers["content-security-policy"]) })
        })
          .on("error", reject)
          .end()
      })
  )
})

const prepared = Effect.gen(function* () {
  const { key } = yield* account
  const recordings = [{ name: "shot.png", kind: "screenshot", contentType: "image/png", sizeBytes: 1 }]
  const preview = yield* uploadPreview({ key }, { recordings }, { recordings: [bytes("x")] })
  return { key, preview, path: `/previews/${preview.shareId}`, cookie: yield* signIn(key) }
})

const shareOf = Effect.fnUntraced(function* (key: string, path: string) {
  const host = yield* TestHost
  const made = yield* host.call("POST", `/api/v1${path}/shares`, { key, body: {} })
  return yield* Schema.decodeUnknownEffect(CreateShareLinkResponse)(made.json)
})

const content = "https://content.example/uploads"

layer(TestHost.layer(inMemory, { contentUrl: `${content}/` }))("uploaded content at another host", (it) => {
  it.effect("is linked by the pages and allowed by their policies", () =>
    Effect.gen(function* () {
      const host = yield* TestHost
      const { cookie, key, path, preview } = yield* prepared
      const { headers, text } = yield* visit("GET", path, { cookie })
      assert.isTrue(frameOf(text).startsWith(`${content}/replay/`))
      assert.match(text, /<img src="https:\/\/content\.example\/uploads\/preview-objects\/[\w.-]+\/recordings\/0"/)
      const policy = headers.get("content-security-policy") ?? ""
      for (const kind of ["connect", "img", "media", "frame"]) {
        assert.include(policy, `${kind}-src 'self' https://content.example;`)
      }
      assert.include(text, `href="${path}/bundle"`)
      const led = yield* visit("GET", `${path}/bundle`, { cookie })
      assert.match(led.headers.get("location") ?? "", /^https:\/\/content\.example\/uploads\/preview-objects\//)

      const { url } = yield* shareOf(key, path)
      const shared = yield* visit("GET", new URL(url).pathname)
      assert.match(shared.text, /href="https:\/\/content\.example\/uploads\/preview-objects\/[\w.-]+\/bundle"/)
      assert.strictEqual(preview.url, `${host.url}${path}`)
    })
  )

  it.effect("is where the replay in the full window leads, as a build's page does", () =>
    Effect.gen(function* () {
      const builder = yield* account
      const { row } = yield* readyBuild(builder)
      const cookie = yield* signIn(builder.key)
      for (const path of [`/builds/${row.id}`, `/builds/${row.id}/replay`]) {
        const { headers, text } = yield* visit("GET", path, { cookie })
        assert.isTrue(frameOf(text).startsWith(`${content}/replay/`), path)
        assert.include(headers.get("content-security-policy") ?? "", "frame-src 'self' https://content.example;")
        const frame = frameOf(text).slice(content.length)
        assert.strictEqual((yield* askAs("content.example", frame)).status, 200)
        assert.strictEqual((yield* visit("GET", frame)).status, 404)
      }
    })
  )

  it.effect("is served only there, and nothing else of the viewer is", () =>
    Effect.gen(function* () {
      const { url } = yield* TestHost
      const { cookie, key, path } = yield* prepared
      const { text } = yield* visit("GET", path, { cookie })
      const frame = frameOf(text).slice(content.length)
      const object = `${objectsOf(text).slice(content.length)}recordings/0`
      for (const uploaded of [frame, `${frame}index.js`, object]) {
        assert.strictEqual((yield* visit("GET", uploaded)).status, 404, uploaded)
        for (const name of ["content.example", "CONTENT.example:443"]) {
          const { policy, status } = yield* askAs(name, uploaded)
          assert.strictEqual(status, 200, uploaded)
          assert.include(policy, `https://content.example/uploads${uploaded.split("/").slice(0, 3).join("/")}/`)
        }
      }
      const { policy } = yield* askAs("content.example", frame)
      assert.include(policy, `frame-ancestors ${url}`)
      const { url: link } = yield* shareOf(key, path)
      for (const own of [
        path,
        "/",
        "/sign-in",
        "/icon.svg",
        `${path}/bundle`,
        `${path}/shares`,
        new URL(link).pathname
      ]) {
        assert.strictEqual((yield* askAs("content.example", own, cookie)).status, 404, own)
        assert.include([200, 303], (yield* visit("GET", own, { cookie })).status, own)
      }
    })
  )
})

layer(TestHost.layer(inMemory, { viewerUrl: "https://viewer.example", contentUrl: "https://viewer.example/u" }))(
  "uploaded content below a path of the viewer's own host",
  (it) => {
    it.effect("is reached by that path", () =>
      Effect.gen(function* () {
        const { key, path } = yield* prepared
        const cookie = yield* signIn(key)
        const { text } = yield* visit("GET", path, { cookie })
        assert.isTrue(frameOf(text).startsWith("/u/replay/"))
        const answer = yield* visit("GET", frameOf(text).slice("/u".length))
        assert.strictEqual(answer.status, 200)
        assert.include(answer.headers.get("content-security-policy") ?? "", "frame-ancestors 'self'")
      })
    )
  }
)
