/** Hostile bundles in a browser: what they take over, and how a test sees that the page around them works. */
import { assert } from "@effect/vitest"
import type { BrowserContext, Page } from "playwright-core"
import { newAccount } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { buildScript as buildAsIs, uploadScript as uploadAsIs } from "./app.ts"
import { Chromium } from "./chromium.ts"

export const account = newAccount(["builds", "preview_upload"])

/** A script that takes over the port through which the bridge reports to the page. */
export const stolenPort = `
  let port
  const postMessage = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (...all) {
    if (all[0]?.kind !== undefined) port = this
    return postMessage.apply(this, all)
  }`

/** Records what code in a page must never achieve: new windows, dialogs, downloads and navigation. */
export const watch = (page: Page): ReadonlyArray<string> => {
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
export const assertUsable = async (page: Page): Promise<void> => {
  const rotate = page.getByRole("button", { name: "Rotate" })
  const before = await rotate.getAttribute("aria-pressed")
  await rotate.click()
  assert.strictEqual(await rotate.getAttribute("aria-pressed"), before === "true" ? "false" : "true")
}

/** Like {@link assertUsable}, for a page that Playwright considers crashed because a frame in it crashed. */
export const assertUsableByHand = async (context: BrowserContext, page: Page): Promise<void> => {
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

export const engines = embedded()

// The fake camera exists, so a refusal comes from the policy.
export const Browser = Chromium.layerWith(["--use-fake-device-for-media-stream", "--js-flags=--max-old-space-size=256"])

/**
 * A script as a phone's own bundle: it looks like one, and the phone runs it. It leaves what the phone shows it of the
 * browser at once, as an attacker would.
 */
const ofPhone = (script: string): string =>
  `// nativeLoggingHook nativeFabricUIManager RN$AppRegistry
RN$registerCallableModule("AppRegistry", () => ({ getAppKeys: () => ["Hostile"], runApplication: () => {} }))
Function(${JSON.stringify(`${script}\n;dispatchEvent(new Event("load"))`)})()`

/** How a script becomes a bundle. */
const kinds = {
  "a hostile bundle": (script: string) => script,
  "a hostile bundle of a phone": ofPhone,
  "a hostile bundle for Android": (script: string) => `// __constants:null,OS:'android'\n${ofPhone(script)}`
}

/** Each hostile script as a bundle for browsers, and as one of a phone of each system. */
export const hostileBundles = Object.entries(kinds).map(([kind, made]) => {
  const uploadScript: typeof uploadAsIs = (owner, script, ...more) =>
    uploadAsIs(owner, typeof script === "string" ? made(script) : script, ...more)
  const buildScript: typeof buildAsIs = (owner, script, ...more) => buildAsIs(owner, made(script), ...more)
  return { kind, uploadScript, buildScript }
})

// Uploaded files that run scripts or reach a server when a browser opens them.

/** What happens when the code runs as a page, opened by its URL. */
export const hostilePage = (url: string) => `<!doctype html><title>as uploaded</title><body>
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

export const hostilePicture = (
  url: string
) => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"
  onload="document.documentElement.dataset.ran = 'yes'; alert('ran')">
<script>document.documentElement.dataset.ran = "yes"; alert("ran")</script>
<image x:href="${url}" width="9" height="9"/><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">
<iframe src="${url}"></iframe></body></foreignObject></svg>`

export const hostileScript = `document.documentElement.dataset.ran = "yes"; alert("ran")`

/** XML with a stylesheet that turns it into a page. */
export const hostileTransform = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xsl,${encodeURIComponent(
  `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
<html><script>${hostileScript}</script></html></xsl:template></xsl:stylesheet>`
)}"?><x/>`

/** A page as a part of a MIME message, with its own headers. */
export const hostileParts = (page: string) =>
  `--part\r\nContent-Type: text/html\r\nSet-Cookie: hostile=1; Path=/\r\n\r\n${page}\r\n--part--\r\n`

/** A PDF that runs a script when it is opened. */
export const hostilePaper = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert("ran"))>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF`
