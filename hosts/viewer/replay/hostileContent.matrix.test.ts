/** Hostile files that are opened by their URL, in a real browser: they have no rights. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestHost } from "../../http/testing/TestHost.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { appFrame, uploadScript as uploadAsIs, waitForState } from "../testing/app.ts"
import { Chromium, openPage, openSignedIn, signInAt } from "../testing/chromium.ts"
import { outside } from "../testing/outside.ts"
import { account, assertUsable, Browser, engines, hostileBundles } from "../testing/hostileBundles.ts"
import {
  hostilePage,
  hostilePaper,
  hostileParts,
  hostilePicture,
  hostileScript,
  hostileTransform
} from "../testing/hostileContent.ts"

for (const { kind, uploadScript } of hostileBundles) {
  layer(Layer.merge(TestHost.layer(engines), Browser))(kind, (it) => {
    it.effect("as HTML, SVG or JavaScript opened by its URL has no rights", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const out = yield* outside
        const contents = [
          ["page.html", "text/html", hostilePage(out.url)],
          ["page.xhtml", "application/xhtml+xml", hostilePicture(out.url)],
          ["feed.xml", "text/xml", hostilePicture(out.url)],
          ["turned.xml", "application/xml", hostileTransform],
          ["parts", "multipart/x-mixed-replace; boundary=part", hostileParts(hostilePage(out.url))],
          ["page.mhtml", "multipart/related; boundary=part", hostileParts(hostilePage(out.url))],
          ["paper.pdf", "application/pdf", hostilePaper],
          ["nothing", "x/x", hostilePage(out.url)],
          ["picture.svg", "image/svg+xml", hostilePicture(out.url)],
          ["script.js", "text/javascript", hostileScript],
          ["module.mjs", "application/octet-stream", hostileScript],
          ["runs.html", "text/html; charset=utf-7", `<!doctype html><script>${hostileScript}</script>`]
        ] as const
        const files = contents.map(([, , text]) => bytes(text))
        const preview = yield* uploadScript(
          { key },
          hostileScript,
          { files: contents.map(([path, contentType], n) => ({ path, contentType, sizeBytes: files[n]?.byteLength })) },
          { files }
        )
        const { context, page } = yield* openSignedIn({ key }, preview.url)
        const cookies = yield* Effect.promise(() => context.cookies())
        yield* Effect.promise(async () => {
          const running = new URL((await page.locator("iframe").getAttribute("src")) ?? "", preview.url).href
          for (const [index, url] of [preview.bundle.url, ...preview.files.map((file) => file.url)].entries()) {
            const name = contents[index - 1]?.[0] ?? "the bundle"
            const visitor = await context.newPage()
            const seen: Array<string> = []
            visitor.on("dialog", (dialog) => {
              seen.push(dialog.message())
              void dialog.dismiss()
            })
            // Files that no browser shows are downloaded.
            await visitor.goto(url ?? "", { waitUntil: "load" }).catch((error: unknown) => {
              assert.include(String(error), "Download is starting", name)
            })
            const session = await context.newCDPSession(visitor)
            const { root } = await session.send("DOM.getDocument")
            const { outerHTML } = await session.send("DOM.getOuterHTML", { nodeId: root.nodeId })
            assert.notInclude(outerHTML.slice(0, outerHTML.indexOf(">", outerHTML.indexOf("<html"))), "data-ran", name)
            assert.notMatch(outerHTML, /<svg[^>]*data-ran/, name)
            assert.deepStrictEqual(seen, [], name)
            await visitor.close()
          }
          assert.deepStrictEqual(out.reached, [])

          // Below the replay's path it could run, so there it is not served as a page.
          const visitor = await context.newPage()
          for (const [path] of contents) {
            assert.strictEqual((await visitor.goto(running + path))?.status(), 403, path)
          }
          assert.deepStrictEqual(out.reached, [])
          assert.deepStrictEqual(await context.cookies(), cookies)
        })
      })
    )
  })
}
/** A browser that resolves `content.test` to the host and gives each site a process, but not each sandbox. */
const contentBrowser = Effect.map(TestHost, ({ url }) =>
  Chromium.layerWith([
    "--disable-features=IsolateSandboxedIframes",
    "--site-per-process",
    `--host-resolver-rules=MAP content.test:80 ${new URL(url).host}`
  ])
)

layer(TestHost.layer(engines, { contentUrl: "http://content.test" }))("uploaded content at another host name", (it) => {
  it.effect("runs only in a frame, even if the browser sends no Sec-Fetch-Dest", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadAsIs({ key }, `document.documentElement.dataset.ran = "yes"`)
      yield* Effect.gen(function* () {
        const { context, page } = yield* openPage
        yield* Effect.promise(async () => {
          await signInAt(page, preview.url, key)
          await appFrame(page).waitForFunction(() => document.documentElement.dataset["ran"] === "yes")
          const running = (await page.locator("iframe").getAttribute("src")) ?? ""
          const asked: Array<string> = []
          context.on("request", (request) => asked.push(request.url()))
          const visitor = await context.newPage()
          await visitor.goto(running)
          await visitor.getByText("Uploaded apps run on a page of the viewer").waitFor()
          assert.deepStrictEqual(asked, [running])
          assert.isFalse(await visitor.evaluate(() => "ran" in document.documentElement.dataset))
          assert.strictEqual(await visitor.evaluate(() => self.origin), "null")
        })
      }).pipe(Effect.provide(yield* contentBrowser))
    })
  )

  it.effect("runs in a process of its own, also where a browser isolates sites and no sandboxed frames", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadAsIs({ key }, `document.body.append("here"); setTimeout(() => { for (;;); }, 500)`)
      const browser = yield* contentBrowser
      yield* Effect.gen(function* () {
        const { page } = yield* openPage
        yield* Effect.promise(async () => {
          await page.goto(preview.url)
          await page.getByLabel("API key").fill(key)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("heading", { name: "Preview", level: 1 }).waitFor()
          assert.match((await page.locator("iframe").getAttribute("src")) ?? "", /^http:\/\/content\.test\/replay\//)
          await waitForState(page, "Not answering")
          await assertUsable(page)
          await page.getByRole("button", { name: "Stop" }).click()
          await waitForState(page, "Stopped")
        })
      }).pipe(Effect.provide(browser))
    })
  )
})

/** A browser that resolves `slipway.test` to the host, for which it sends no `Sec-Fetch-Dest`. */
const plainBrowser = Effect.map(TestHost, ({ url }) =>
  Chromium.layerWith([`--host-resolver-rules=MAP slipway.test:80 ${new URL(url).host}`])
)

layer(TestHost.layer(engines, { viewerUrl: "http://slipway.test" }))(
  "a viewer at a name of the local network, over plain HTTP",
  (it) => {
    it.effect("shows replays, and neither they nor any file of theirs is a page of its own there", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const pageText = hostilePage("http://slipway.test/nothing")
        const contents = [
          ["page.html", "text/html", pageText],
          ["page.xhtml", "application/xhtml+xml", hostilePicture("http://slipway.test/nothing")],
          ["sail.svg", "image/svg+xml", hostilePicture("http://slipway.test/nothing")],
          ["turned.xml", "application/xml", hostileTransform]
        ] as const
        const files = contents.map(([, , text]) => bytes(text))
        const preview = yield* uploadAsIs(
          { key },
          `document.documentElement.dataset.ran = "yes"
          document.body.append(Object.assign(new Image(), { src: "sail.svg", onload: () => (self.isPictured = true) }))`,
          { files: contents.map(([path, contentType], n) => ({ path, contentType, sizeBytes: files[n]?.byteLength })) },
          { files }
        )
        const browser = yield* plainBrowser
        yield* Effect.gen(function* () {
          const { context, page } = yield* openPage
          yield* Effect.promise(async () => {
            const said: Array<string | undefined> = []
            page.on("request", (request) => said.push(request.headers()["sec-fetch-dest"]))
            await signInAt(page, `http://slipway.test/previews/${preview.shareId}`, key)
            await waitForState(page, "Running")
            await appFrame(page).waitForFunction(() => document.documentElement.dataset["ran"] === "yes")
            await appFrame(page).waitForFunction(() => Reflect.get(self, "isPictured") === true)
            assert.deepStrictEqual([...new Set(said)], [undefined])

            const running = new URL((await page.locator("iframe").getAttribute("src")) ?? "", page.url()).href
            const visitor = await context.newPage()
            await visitor.goto(running)
            await visitor.getByText("Uploaded apps run on a page of the viewer").waitFor()
            assert.isFalse(await visitor.evaluate(() => "ran" in document.documentElement.dataset))
            // It doesn't run in a frame of another site's page either.
            const refused = visitor.waitForEvent("framenavigated", (frame) => frame.url().startsWith("chrome-error:"))
            await visitor.goto(`data:text/html,<iframe src="${running}"></iframe>`)
            await refused

            const lasting = preview.files.map(({ url = "" }) => url.replace(/^https?:\/\/[^/]+/, "http://slipway.test"))
            for (const url of [...contents.map(([path]) => running + path), ...lasting]) {
              const download = visitor.waitForEvent("download")
              await visitor.goto(url).then(
                () => assert.fail(`${url} is a page`),
                (error: unknown) => assert.include(String(error), "Download is starting", url)
              )
              await (await download).cancel()
            }
          })
        }).pipe(Effect.provide(browser))
      })
    )
  }
)
