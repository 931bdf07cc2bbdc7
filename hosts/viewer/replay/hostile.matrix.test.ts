/** Attacks by a hostile upload, in a real browser: all of them fail, and the viewer's page keeps working. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { bytes, commit } from "../../http/testing/uploads.ts"
import { appFrame, buildScript as buildAsIs, uploadScript as uploadAsIs, waitForState } from "../testing/app.ts"
import { Chromium, openPage, openSignedIn, signInAt } from "../testing/chromium.ts"
import { outside } from "../testing/outside.ts"

const account = newAccount(["builds", "preview_upload"])

/** A script that takes over the port through which the bridge reports to the page. */
const stolenPort = `
  let port
  const postMessage = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (...all) {
    if (all[0]?.kind !== undefined) port = this
    return postMessage.apply(this, all)
  }`

const flooded = "It posted more messages than a page can read"

const attack = readFileSync(join(import.meta.dirname, "..", "testing", "hostile.js"), "utf8")

/** Records what code in a page must never achieve: new windows, dialogs, downloads and navigation. */
const watch = (page: Page): ReadonlyArray<string> => {
  const seen: Array<string> = []
  page.on("dialog", (dialog) => {
    seen.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("download", () => seen.push("a download"))
  page.on("popup", () => seen.push("a pop-up"))
  page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame()) seen.push(`the page went to ${frame.url()}`)
  })
  return seen
}

/** Clicks on a control of the page and checks its effect. */
const assertUsable = async (page: Page): Promise<void> => {
  const rotate = page.getByRole("button", { name: "Rotate" })
  const before = await rotate.getAttribute("aria-pressed")
  await rotate.click()
  assert.strictEqual(await rotate.getAttribute("aria-pressed"), before === "true" ? "false" : "true")
}

/** Like {@link assertUsable}, for a page that Playwright considers crashed because a frame in it crashed. */
const assertUsableByHand = async (context: BrowserContext, page: Page): Promise<void> => {
  const session = await context.newCDPSession(page)
  const evaluated = async (expression: string): Promise<unknown> =>
    (await session.send("Runtime.evaluate", { expression, returnByValue: true })).result.value
  const button = `document.querySelector("[data-do=rotate]")`
  const place = await evaluated(
    `(({ x, y, width, height }) => [x + width / 2, y + height / 2])(${button}.getBoundingClientRect())`
  )
  assert.isTrue(Array.isArray(place))
  const [x, y] = Array.isArray(place) ? place.map(Number) : []
  const before = await evaluated(`${button}.ariaPressed`)
  for (const type of ["mousePressed", "mouseReleased"] as const) {
    await session.send("Input.dispatchMouseEvent", { type, x: x ?? 0, y: y ?? 0, button: "left", clickCount: 1 })
  }
  assert.strictEqual(await evaluated(`${button}.ariaPressed`), before === "true" ? "false" : "true")
}

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
  "a notification": "denied",
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

/** What happens when the code runs as a page, opened by its URL. */
const hostilePage = (url: string) => `<!doctype html><title>as uploaded</title><body>
<script>
  document.documentElement.dataset.ran = "yes"
  try { document.cookie = "hostile=1; path=/" } catch {}
  fetch(${JSON.stringify(url)}, { mode: "no-cors" }).catch(() => {})
  new Image().src = ${JSON.stringify(url)}
  alert("ran")
</script>
<img src="${url}" onerror="alert('ran')"><meta http-equiv="refresh" content="0; url=${url}">
<form id="f" action="${url}" method="post"></form><a href="javascript:alert('ran')" autofocus onfocus="alert('ran')">x</a>
<iframe src="/"></iframe></body>`

const hostilePicture = (url: string) => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"
  onload="document.documentElement.dataset.ran = 'yes'; alert('ran')">
<script>document.documentElement.dataset.ran = "yes"; alert("ran")</script>
<image x:href="${url}" width="9" height="9"/><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">
<iframe src="${url}"></iframe></body></foreignObject></svg>`

const hostileScript = `document.documentElement.dataset.ran = "yes"; alert("ran")`

/** XML with a stylesheet that turns it into a page. */
const hostileTransform = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xsl,${encodeURIComponent(
  `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
<html><script>${hostileScript}</script></html></xsl:template></xsl:stylesheet>`
)}"?><x/>`

/** A page as a part of a MIME message, with its own headers. */
const hostileParts = (page: string) =>
  `--part\r\nContent-Type: text/html\r\nSet-Cookie: hostile=1; Path=/\r\n\r\n${page}\r\n--part--\r\n`

/** A PDF that runs a script when it is opened. */
const hostilePaper = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert("ran"))>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF`

const engines = embedded()

// The fake camera exists, so a refusal comes from the policy.
const Browser = Chromium.layerWith(["--use-fake-device-for-media-stream", "--js-flags=--max-old-space-size=256"])

/**
 * A script as a phone's own bundle: it looks like one, and the phone runs it. It leaves what the phone shows it of the
 * browser at once, as an attacker would.
 */
const ofPhone = (script: string): string =>
  `// nativeLoggingHook nativeFabricUIManager RN$AppRegistry
RN$registerCallableModule("AppRegistry", () => ({ getAppKeys: () => ["Hostile"], runApplication: () => {} }))
Function(${JSON.stringify(`${script}\n;dispatchEvent(new Event("load"))`)})()`

const kinds = { "a hostile bundle": (script: string) => script, "a hostile bundle of a phone": ofPhone }

for (const [kind, made] of Object.entries(kinds)) {
  const uploadScript: typeof uploadAsIs = (account, script, ...more) =>
    uploadAsIs(account, typeof script === "string" ? made(script) : script, ...more)
  const buildScript: typeof buildAsIs = (account, script, ...more) => buildAsIs(account, made(script), ...more)

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

    it.effect("that posts arbitrary messages is shown as text, and stopped if they are a flood", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const text = `</pre><img src=x onerror=alert(1)><script>alert(1)</script>\u202egnp.exe`
        const forged = `{ kind: "line", level: "error", isThrown: true, text: ${JSON.stringify(text)} + n }`
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const odd = [null, 1, "x", { kind: "line" }, [], new Map(), new Date(), { kind: "line", level: {}, text: {} }]
        console.log("%s", ${JSON.stringify(text)}, { toJSON() { throw 1 }, get x() { throw 1 } })
        const post = () => {
          if (port === undefined) return setTimeout(post, 20)
          for (const one of odd) port.postMessage(one)
          for (let n = 1; n <= 3; n++) port.postMessage(${forged})
        }
        post()
        addEventListener("click", () => {
          const { port1, port2 } = new MessageChannel()
          let n = 10
          port1.onmessage = () => {
            for (let i = 0; i < 500; i++, n++) {
              port.postMessage(${forged})
              parent.postMessage(${forged}, "*")
              top.postMessage(${forged}, "*")
            }
            port2.postMessage(0)
          }
          port2.postMessage(0)
        })`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        const seen = watch(page)
        yield* Effect.promise(async () => {
          const lines = page.locator(".console li pre")
          await lines.nth(3).waitFor()
          const texts = await lines.allTextContents()
          for (const line of [`${text}1`, `${text}2`, `${text}3`, `${text} {toJSON: ƒ toJSON(), x: Symbol(getter)}`]) {
            assert.include(texts, line)
          }
          assert.strictEqual(await page.locator(".console li :not(span, pre)").count(), 0)

          await page.frameLocator("iframe").locator("body").click()
          await page.getByText(flooded).waitFor()
          await waitForState(page, "Stopped")
          assert.strictEqual(await page.locator("iframe").count(), 0)
          assert.isAtMost(await lines.count(), 200)
          await assertUsable(page)

          await page.getByRole("button", { name: "Reload" }).click()
          await waitForState(page, "Running")
          assert.deepStrictEqual(seen, [])
        })
      })
    )

    it.effect("that posts a crash, or names what is missing, is shown as text", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const text = `<img src=x onerror=alert(1)><b>bold</b>`
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const post = () => {
          if (port === undefined) return setTimeout(post, 20)
          port.postMessage({ kind: "missing", what: ${JSON.stringify(text)}, name: ${JSON.stringify(text)} })
          port.postMessage({ kind: "crashed", text: ${JSON.stringify(text)} })
        }
        post()`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        const seen = watch(page)
        yield* Effect.promise(async () => {
          await waitForState(page, "Crashed")
          assert.strictEqual(await page.locator(".why").textContent(), text)
          assert.strictEqual(await page.locator(".panel.missing li").textContent(), `${text} ${text}`)
          assert.strictEqual(await page.locator(".why *, .panel.missing li :not(code)").count(), 0)
          assert.deepStrictEqual(seen, [])
        })
      })
    )

    it.effect("that lies about itself to the inspector shows texts only, and nothing that it wasn't asked for", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const text = `<img src=x onerror=alert(1)>`
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const text = ${JSON.stringify(text)}
        const about = { kind: "inspected", sections: [{ title: text, rows: [[text, text]] }], path: [1], text }
        let id = 0
        const items = () => Array.from({ length: 1000 }, () => ({ id: ++id, name: text, detail: text, hasChildren: true }))
        document.addEventListener("replay-inspector", (event) => {
          event.stopImmediatePropagation()
          const { ask, id, turn } = event.detail
          port.postMessage({ ...about, of: ask, id, turn, items: items() })
        }, true)
        setInterval(() => {
          for (const of of ["children", "details", "picked", "archive"]) port?.postMessage({ ...about, of, id: 1, turn: 1, items: items() })
        }, 50)`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        const seen = watch(page)
        yield* Effect.promise(async () => {
          await page.getByRole("tab", { name: "Inspector" }).click()
          const nodes = page.getByRole("tree").getByRole("treeitem")
          await nodes.nth(199).waitFor()
          await nodes.nth(0).click()
          await page.locator(".node dd", { hasText: text }).waitFor()
          await page.getByRole("tab", { name: "Network" }).click()
          await page.getByRole("listitem").filter({ hasText: text }).nth(199).waitFor()
          await page.getByRole("tab", { name: "Storage" }).click()
          await page.locator(".stores dd", { hasText: text }).waitFor()
          assert.strictEqual(await page.locator(".panels img").count(), 0)
          assert.isBelow(await page.locator(".panels li").count(), 5500)
          assert.deepStrictEqual(seen, [])
          await assertUsable(page)
        })
      })
    )

    it.effect("that posts few but huge messages doesn't block the page, and is stopped too", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const huge = Array.from({ length: 200_000 }, () => [])
        setInterval(() => port?.postMessage(huge), 20)
        setInterval(() => parent.postMessage(huge, "*"), 1000)`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await assertUsable(page)
          await page.getByText(flooded).waitFor()
          await assertUsable(page)
        })
      })
    )

    it.effect(
      "that floods the windows around it with messages is stopped, whatever it posts and wherever it is shown",
      () =>
        Effect.gen(function* () {
          const account = yield* newAccount(["builds", "preview_upload"])
          /** Posts as fast as it can, and lets its own window live: what is posted in one go is only sent when that is over. */
          const storm = (posting: string) => `const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => { for (let n = 0; n < 500; n++) { ${posting} } port2.postMessage(0) }
        addEventListener("load", () => port2.postMessage(0))`
          const module = "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))"
          const storms = [
            `parent.postMessage("x", "*")`,
            `top.postMessage({ kind: "line" }, "*")`,
            `top.postMessage("x".repeat(100_000), "*")`,
            // A message that another process can't deserialize.
            `top.postMessage(self.module ??= ${module}, "*")`
          ]
          const builds = yield* Effect.forEach(storms, (posting, index) =>
            buildScript(account, storm(posting), { commitSha: commit(index) })
          )
          const { page } = yield* openSignedIn(account, builds[0]?.url ?? "")
          yield* Effect.promise(async () => {
            for (const [index, row] of builds.entries()) {
              await page.goto(row.url)
              await page.getByText(flooded).waitFor()
              await waitForState(page, "Stopped")
              assert.strictEqual(await page.locator("iframe").count(), 0, storms[index])
              await assertUsable(page)

              await page.goto(row.previewUrl ?? "")
              await page.getByText(flooded).waitFor()
              assert.strictEqual(await page.locator("iframe").count(), 0, storms[index])
              await page.getByRole("link", { name: "Back to the build" }).click()
              await page.waitForURL(row.url)
            }
          })
        })
    )

    it.effect("that keeps taking the focus is stopped; one that takes it once at its start is not", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const field = `document.getElementById("root").innerHTML = '<input aria-label="Name">'
        const field = document.querySelector("input")`
        const polite = yield* uploadScript({ key }, `${field}; field.focus()`)
        const thief = yield* uploadScript(
          { key },
          `${field}; setInterval(() => { field.blur(); field.focus(); window.focus() }, 20)`
        )
        const { page } = yield* openSignedIn({ key }, polite.url)
        yield* Effect.promise(async () => {
          const name = page.frameLocator("iframe").getByLabel("Name")
          await page.waitForFunction(() => document.activeElement?.localName === "iframe")
          await page.keyboard.type("Lif")
          // Moves the focus into the frame with the keyboard, from the element before it.
          await page.getByRole("button", { name: "Stop" }).focus()
          await page.keyboard.press("Tab")
          await page.waitForFunction(() => document.activeElement?.localName === "iframe")
          await appFrame(page).waitForFunction(
            () => document.hasFocus() && document.activeElement?.localName === "input"
          )
          await page.keyboard.type("Sven")
          assert.strictEqual(await name.inputValue(), "Sven")

          await page.goto(thief.url)
          await page.waitForFunction(() => document.activeElement?.localName === "iframe")
          await page.getByRole("button", { name: "Rotate" }).focus()
          await page.getByText("It kept taking the keyboard away").waitFor()
          await waitForState(page, "Stopped")
          assert.isTrue(await page.evaluate(() => document.activeElement?.textContent === "Rotate"))
          await page.keyboard.press("Enter")
          assert.strictEqual(await page.getByRole("button", { name: "Rotate" }).getAttribute("aria-pressed"), "true")
        })
      })
    )

    it.effect("that keeps scrolling the page to itself can be stopped by a person", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `const low = document.getElementById("root").appendChild(document.createElement("p"))
        low.style.marginTop = "90vh"
        setInterval(() => low.scrollIntoView(), 20)`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 900, height: 500 })
          await page.waitForFunction(() => scrollY > 200)
          const stop = page.getByRole("button", { name: "Stop" })
          const { height, width, x, y } = (await stop.boundingBox()) ?? assert.fail("the button is shown")
          assert.isTrue(y >= 0 && y + height <= 500)
          await page.mouse.click(x + width / 2, y + height / 2)
          await waitForState(page, "Stopped")
        })
      })
    )

    it.effect("that loops for ever doesn't block the page, which reports it, stops it and reloads it", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `document.body.append("here"); console.log("about to loop"); addEventListener("click", () => { for (;;); })`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await waitForState(page, "Running")
          // A click in the frame would wait for the app to handle it, which never happens.
          const { height, width, x, y } = (await page.locator("iframe").boundingBox()) ?? {
            x: 0,
            y: 0,
            width: 0,
            height: 0
          }
          await page.mouse.move(x + width / 2, y + height / 2)
          void page.mouse
            .down()
            .then(() => page.mouse.up())
            .catch(() => undefined)
          await waitForState(page, "Not answering")
          await page.getByText("It may be in an endless loop").waitFor()
          await assertUsable(page)
          await page.getByRole("button", { name: "Stop" }).click()
          await waitForState(page, "Stopped")
          assert.strictEqual(await page.locator("iframe").count(), 0)
          await page.getByRole("button", { name: "Reload" }).click()
          await waitForState(page, "Running")
          await page.frameLocator("iframe").getByText("here").waitFor()
        })
      })
    )

    it.effect("that loops from its first line on is reported too", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript({ key }, `for (;;);`)
        const { page } = yield* openPage
        yield* Effect.promise(async () => {
          await page.goto(preview.url)
          await page.getByLabel("API key").fill(key)
          await page.getByRole("button", { name: "Sign in" }).click()
          await waitForState(page, "Not answering")
          await assertUsable(page)
          await page.getByRole("button", { name: "Stop" }).click()
          await waitForState(page, "Stopped")
        })
      })
    )

    it.effect("that allocates without end crashes alone", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `document.body.append("here")
        const kept = []
        setTimeout(() => { for (;;) kept.push(new Array(1_000_000).fill(Math.random())) }, 1000)`
        )
        const { context, page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await page.waitForEvent("crash")
          await assertUsableByHand(context, page)
        })
      })
    )

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
