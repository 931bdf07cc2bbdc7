/** The client as bundlers make it, in a page of another origin than the service, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { inMemory } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { commit, sha256 } from "../http/testing/uploads.ts"
import { Chromium, openPage } from "../viewer/testing/chromium.ts"
import type * as client from "./index.ts"
import { bundledForBrowsers } from "./testing/bundled.ts"

declare global {
  interface Window {
    slipway: Pick<typeof client, "createClient" | "SlipwayError">
  }
}

/** A page that has the client as `window.slipway`. */
const pageServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const { code } = await bundledForBrowsers()
    const server = createServer(({ url }, response) => {
      if (url === "/client.js") response.setHeader("content-type", "text/javascript").end(code)
      else {
        const script = 'import * as slipway from "/client.js"; window.slipway = slipway'
        response
          .setHeader("content-type", "text/html")
          .end(`<!doctype html><link rel="icon" href="data:,"><script type="module">${script}</script>`)
      }
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    return server
  }),
  (server) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    })
)

const opened = Effect.gen(function* () {
  const address = (yield* pageServer).address()
  if (address === null || typeof address === "string")
    return yield* Effect.die("a TCP server has an address and a port")
  const { complaints, page } = yield* openPage
  yield* Effect.promise(async () => {
    await page.goto(`http://127.0.0.1:${address.port}/`)
    await page.waitForFunction(() => "slipway" in window)
  })
  return { complaints, page }
})

layer(Layer.merge(TestHost.layer(inMemory), Chromium.layer))("the client in Chromium", (it) => {
  it.effect("uploads a build from a File and a stream, and reports its progress", function* () {
    const { hostedBundle, url } = yield* TestHost
    const { key, owner, repo } = yield* newAccount()
    const { complaints, page } = yield* opened
    const { build, reports } = yield* Effect.promise(() =>
      page.evaluate(
        async ({ identity, key, url }) => {
          const reports: Array<client.Progress> = []
          const build = await window.slipway.createClient({ url, key }).builds.upload(
            {
              ...identity,
              platform: "ios",
              bundle: { body: new File(["app()"], "index.js"), contentType: "text/javascript" },
              files: [
                { path: "stream", contentType: "text/plain", body: new Blob(["streamed"]).stream(), sizeBytes: 8 },
                { path: "bytes", contentType: "text/plain", body: new TextEncoder().encode("held") }
              ]
            },
            { onProgress: (progress) => reports.push(progress) }
          )
          return { build, reports }
        },
        { identity: { owner, repo, branch: "main", commitSha: commit(1) }, key, url }
      )
    )
    assert.strictEqual(build.status, "ready")
    assert.strictEqual(build.contentHash, sha256(new TextEncoder().encode("app()")))
    assert.strictEqual(yield* hostedBundle(key, build.id), "app()")
    assert.deepStrictEqual(
      build.files.map(({ contentHash }) => contentHash),
      [undefined, sha256(new TextEncoder().encode("held"))]
    )
    assert.deepStrictEqual(reports.at(-1), { sentBytes: 17, totalBytes: 17, sentObjects: 3, totalObjects: 3 })
    assert.deepStrictEqual(complaints, [])
  })

  it.effect("reports why a request and a PUT are refused, and ends with its signal", function* () {
    const { url } = yield* TestHost
    const { key } = yield* newAccount(["preview_upload"])
    const { page } = yield* opened
    const seen = yield* Effect.promise(() =>
      page.evaluate(
        async ({ contentHash, key, url }) => {
          const { SlipwayError, createClient } = window.slipway
          const codeOf = (promise: Promise<unknown>) =>
            promise.then(
              () => "done",
              (error: unknown) => (error instanceof SlipwayError ? `${error.status} ${error.code}` : String(error))
            )
          const client = createClient({ url, key })
          const contentType = "text/javascript"
          const { slots } = await client.previews.reserve({
            contentHash,
            bundleSizeBytes: 5,
            bundleContentType: contentType
          })
          const controller = new AbortController()
          const left = client.previews.upload(
            { bundle: { body: new Uint8Array(50_000_000), contentType } },
            { signal: controller.signal, onProgress: () => controller.abort("left") }
          )
          return {
            noScope: await codeOf(client.builds.read("a-build")),
            noKey: await codeOf(createClient({ url, key: "slip_none" }).previews.read("a-preview")),
            otherType: await codeOf(client.put({ ...slots.bundle, contentType: "text/css" }, new Blob(["app()"]))),
            path: await codeOf(client.previews.upload({ bundle: { body: { path: "index.js" }, contentType } })),
            left: await codeOf(left)
          }
        },
        { contentHash: sha256(new TextEncoder().encode("app()")), key, url }
      )
    )
    assert.deepStrictEqual(seen, {
      noScope: "403 insufficient_scope",
      noKey: "401 unauthorized",
      otherType: "403 url_refused",
      path: "undefined body_unfit",
      left: "left"
    })
  })
})
