/** Attacks by a hostile upload, in a real browser: all of them fail, and the viewer's page keeps working. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { TestHost } from "../../http/testing/TestHost.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { appFrame, uploadScript as uploadAsIs, waitForState } from "../testing/app.ts"
import { Chromium, openPage, openSignedIn, outside, signInAt } from "../testing/chromium.ts"
import {
  account,
  assertUsable,
  Browser,
  engines,
  hostileBundles,
  hostilePage,
  hostilePaper,
  hostileParts,
  hostilePicture,
  hostileScript,
  hostileTransform,
  watch
} from "../testing/hostileBundles.ts"

const attack = readFileSync(join(import.meta.dirname, "..", "testing", "hostile.js"), "utf8")

/** The expected result of each attempt in `testing/hostile.js`. */
const nothingComes = {
  "read a cookie": "refused: SecurityError",
  "write a cookie": "refused: SecurityError",
  "local storage": "0",
  "session storage": "0",
  "an indexed database": "0",
  "a cache": "refused: SecurityError",
  "a file system": "refused: SecurityError",
  "a broadcast": "posted to its own origin",
  "a service worker": "refused: SecurityError",
  "storage access": "refused: NotAllowedError",
  "another domain": "refused: SecurityError",
  "the page's document": "refused: SecurityError",
  "the top document": "refused: SecurityError",
  "the page's address": "refused: SecurityError",
  "the frame's element": "nothing",
  "a name that was left": '""',
  "the referrer": '""',
  "leading the top page away": "refused: SecurityError",
  "replacing the top page": "refused: SecurityError",
  "leading the page by a script": "refused: SecurityError",
  "a window in place of the top": "null",
  "a pop-up": "null",
  "an empty pop-up": "null",
  "a link to the top": "clicked",
  "a link that opens": "clicked",
  "a form to the top": "sent",
  "a form for the sign-out": "sent",
  "a download": "clicked",
  "the way back": "asked for",
  "an alert": "answered with nothing",
  "a question": "false",
  "a prompt": "null",
  printing: "answered with nothing",
  "the full screen": "refused: TypeError",
  "the pointer": "refused: SecurityError",
  "the keyboard": "refused: InvalidStateError",
  "the clipboard": "refused: NotAllowedError",
  "the camera": "refused: SecurityError",
  "the screen": "refused: NotAllowedError",
  "the place": "refused",
  "a notification": "not granted",
  "a credential": "refused: NotAllowedError",
  "an image from outside": "refused",
  "a script from outside": "refused",
  "a module from outside": "refused: TypeError",
  "a style from outside": "refused",
  "a prefetch": "refused",
  "a preload": "refused",
  "a connection": "asked for",
  "a name to look up": "asked for",
  "a frame from outside": "asked for",
  "a frame of the viewer": "asked for",
  "an object from outside": "asked for",
  "a worker from outside": "refused: SecurityError",
  "a request outside": "refused: TypeError",
  "a request outside by a worker": "refused",
  "a beacon": "asked for",
  "a socket": "refused",
  "a stream of events": "refused",
  "a speculation": "asked for",
  "a request for later": "asked for",
  "a ping": "clicked",
  "a poster": "asked for",
  "a style that imports": "asked for",
  "a font": "refused: NetworkError",
  "a worklet": "refused: AbortError",
  "a shared worker": "refused: SecurityError",
  "a transport": "refused: WebTransportError",
  "a source to tell": "asked for",
  "its own recordings": "refused: TypeError",
  "a picture of its own recordings": "refused",
  "what lies above": "refused: TypeError",
  "what lies above, said in code": "404",
  "what another one is": "refused: TypeError",
  "the page's origin and no more": "one",
  "a call": "refused: TypeError",
  "a call from an empty frame": "refused: SecurityError"
}
for (const { kind, uploadScript } of hostileBundles) {
  layer(Layer.merge(TestHost.layer(engines), Browser))(kind, (it) => {
    it.effect("reaches nothing, neither at its start nor after a click", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { key } = yield* account
        const out = yield* outside
        const asked = ["/api/v1/builds?owner=a&repo=b&branch=c", "/", "/sign-out"]
        const config = JSON.stringify({ host: host.url, outside: out.url, asked })
        const preview = yield* uploadScript({ key }, `self.config = ${config}\n${attack}`)
        const { context, page } = yield* openSignedIn({ key }, preview.url)
        const seen = watch(page)
        yield* Effect.promise(async () => {
          const expected = {
            ...nothingComes,
            ...Object.fromEntries(
              asked.flatMap((path) =>
                ["with credentials", "unread", "by POST"].map((how) => [`${path} ${how}`, "refused: TypeError"])
              )
            )
          }
          const frame = appFrame(page)
          const came = (name: string) =>
            frame.waitForFunction((key) => Reflect.get(self, key), name).then((found) => found.jsonValue())
          assert.deepStrictEqual(await came("came"), expected)
          await page.frameLocator("iframe").getByRole("button", { name: "Try once more" }).click()
          assert.deepStrictEqual(await came("cameByClick"), expected)

          assert.deepStrictEqual(out.reached, [])
          assert.deepStrictEqual(seen, [])
          assert.strictEqual(page.url(), preview.url)
          assert.isTrue(await page.evaluate(() => document.fullscreenElement === null))
          assert.strictEqual((await context.cookies()).length, 1)
          await waitForState(page, "Running")
          await assertUsable(page)
          // The session is unchanged. Attempts that were delayed until the page is left fail too.
          await page.reload()
          await page.getByText("Menu", { exact: true }).waitFor()
          await appFrame(page).waitForFunction(() => Reflect.get(self, "came") !== undefined)
          assert.deepStrictEqual(out.reached, [])
        })
      })
    )

    it.effect("that uses WebRTC from a frame it wrote reaches nobody", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { key } = yield* account
        const out = yield* outside
        const call = `const connection = new RTCPeerConnection({ iceServers: [{ urls: "stun:${new URL(out.url).host}" }] })
        connection.addEventListener("icecandidate", ({ candidate }) => candidate ?? parent.postMessage("all", "*"))
        connection.createDataChannel("x")
        connection.createOffer().then((offer) => connection.setLocalDescription(offer))`
        const preview = yield* uploadScript(
          { key },
          `addEventListener("message", ({ data }) => { if (data === "all") self.hasCalled = true })
        const frame = document.createElement("iframe")
        frame.srcdoc = ${JSON.stringify(`<script>${call}</script>`)}
        document.body.append(frame)`
        )
        const { page } = yield* openSignedIn({ key }, `${host.url}/`)
        yield* Effect.promise(async () => {
          // Chromium kills the process of a frame that calls anyway.
          const ended = page.waitForEvent("crash")
          await page.goto(preview.url, { waitUntil: "commit" })
          const hasCalled = async () => {
            await page.waitForSelector("iframe")
            await appFrame(page).waitForFunction(() => Reflect.get(self, "hasCalled") === true)
          }
          await Promise.any([ended, hasCalled()])
          assert.deepStrictEqual(out.reached, [])
        })
      })
    )

    it.effect("that navigates its own frame can't navigate the page", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { key } = yield* account
        const out = yield* outside
        const ways = {
          "its address": `location.href = ${JSON.stringify(out.url)}`,
          "its address, to the viewer": `location.href = ${JSON.stringify(`${host.url}/`)}`,
          "a refresh": `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv="refresh" content="0; url=${out.url}">')`,
          "a link": `document.body.insertAdjacentHTML("beforeend", '<a href="${out.url}">x</a>'); document.links[0].click()`,
          "a window of the same name": `open(${JSON.stringify(out.url)}, "_self")`,
          "a page made of text": `location.href = "data:text/html,<script>top.location.href='${out.url}'</script>"`,
          "a page made of bytes": `location.href = URL.createObjectURL(new Blob(["<script>top.location.href='${out.url}'</script>"], { type: "text/html" }))`,
          "a document that is written": `document.open(); document.write("<script>top.location.href='${out.url}'</script>"); document.close()`
        }
        const { page } = yield* openPage
        const previews = yield* Effect.forEach(Object.values(ways), (way) =>
          uploadScript(
            { key },
            `document.getElementById("root").textContent = "here"; setTimeout(() => { ${way} }, 50)`
          )
        )
        yield* Effect.promise(async () => {
          await signInAt(page, previews[0]?.url ?? "", key)
          for (const [index, way] of Object.keys(ways).entries()) {
            const url = previews[index]?.url ?? ""
            const refused = Promise.any([
              page.waitForEvent("console", (message) => message.type() === "error"),
              page.waitForEvent("framenavigated", (frame) => frame.url().startsWith("chrome-error:"))
            ])
            await page.goto(url)
            const seen = watch(page)
            await refused
            await assertUsable(page)
            assert.strictEqual(page.url(), url, way)
            assert.deepStrictEqual(seen, [], way)
            page.removeAllListeners()
          }
          assert.deepStrictEqual(out.reached, [])
          await page.getByText("Menu", { exact: true }).waitFor()
        })
      })
    )
  })
}

// Hostile files that are opened by their URL, in a real browser: they have no rights.

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
