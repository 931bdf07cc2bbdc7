/** Hostile bundles in a browser: what they take over, and how a test sees that the page around them works. */
import { assert } from "@effect/vitest"
import type { BrowserContext, Page } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount } from "../../http/testing/TestHost.ts"
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
const kinds = { "a hostile bundle": (script: string) => script, "a hostile bundle of a phone": ofPhone }

/** Each hostile script as a bundle for browsers, and as one of a phone. */
export const hostileBundles = Object.entries(kinds).map(([kind, made]) => {
  const uploadScript: typeof uploadAsIs = (owner, script, ...more) =>
    uploadAsIs(owner, typeof script === "string" ? made(script) : script, ...more)
  const buildScript: typeof buildAsIs = (owner, script, ...more) => buildAsIs(owner, made(script), ...more)
  return { kind, uploadScript, buildScript }
})
