/** The pages in Debian's Firefox, over WebDriver BiDi: each kind of page, the keyboard, live updates, and a replay. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { launch, type Browser, type Page } from "puppeteer-core"
import { inject } from "vitest"
import { it, layer } from "../../core/testing/layer.ts"
import { embedded } from "../http/testing/engines.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { paleness, violations } from "./testing/chromium.ts"
import { Harbour, kindsOf, type Who } from "./testing/harbour.ts"
import { uploadFixture } from "./testing/app.ts"
import { registerRun } from "./testing/previews.ts"
import { darkWhen } from "./ui/theme.ts"

const executablePath = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr"

class Firefox extends Context.Service<Firefox, Browser>()("slipway/hosts/viewer/test/Firefox") {
  static readonly layer = Layer.effect(
    Firefox,
    Effect.acquireRelease(
      Effect.promise(() => {
        const timeout = inject("waitMillis")
        return launch({ browser: "firefox", executablePath, timeout, protocolTimeout: timeout })
      }),
      (browser) => Effect.promise(() => browser.close())
    )
  )
}

/** A page of somebody, and the errors and warnings of its console. */
const openAs = Effect.fnUntraced(function* (who: Who) {
  const browser = yield* Firefox
  const { cookies, host } = yield* Harbour
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.createBrowserContext()),
    (opened) => Effect.promise(() => opened.close())
  )
  const [name = "", ...value] = cookies[who].split("=")
  const { hostname: domain } = new URL(host.url)
  const complaints: Array<string> = []
  const page = yield* Effect.promise(async () => {
    if (name !== "") await context.setCookie({ name, value: value.join("="), domain, path: "/" })
    const opened = await context.newPage()
    opened.setDefaultTimeout(inject("waitMillis"))
    opened.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warn") complaints.push(message.text())
    })
    opened.on("pageerror", (error) => complaints.push(String(error)))
    return opened
  })
  return { page, complaints }
})

/** For which sizes of the window a page is too wide. */
const overflows = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
    // A window of 1280 × 800 at 200 % zoom.
    [640, 400]
  ] as const) {
    await page.setViewport({ width, height })
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (over > 0) found.push(`${width} × ${height}: ${over} pixels too wide`)
  }
  return found
}

/** The accessibility faults of the open page, light and dark. */
const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const light = await violations(page)
  // WebDriver BiDi can't emulate the theme of the system.
  await page.evaluate((media) => document.querySelector("#dark")?.setAttribute("media", media), darkWhen.dark)
  return [...light, ...(await paleness(page)).map((fault) => `dark: ${fault}`)]
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")

if (existsSync(executablePath)) {
  const everything = Layer.provideMerge(Harbour.layer, Layer.merge(TestHost.layer(embedded()), Firefox.layer))
  layer(everything)("pages in Firefox", (it) => {
    it.effect(
      "every page opens without a complaint, is accessible in light and dark, and fits a phone and a window at 200 % zoom",
      function* () {
        const harbour = yield* Harbour
        const pages = {
          nobody: yield* openAs("nobody"),
          owner: yield* openAs("owner"),
          newcomer: yield* openAs("newcomer"),
          builder: yield* openAs("builder")
        }
        yield* Effect.promise(async () => {
          const faults: Record<string, unknown> = {}
          for (const [kind, { path, status, who }] of Object.entries(kindsOf(harbour))) {
            const { complaints, page } = pages[who]
            complaints.length = 0
            // Firefox resizes a tab in the background only once a second.
            await page.bringToFront()
            const answer = await page.goto(harbour.host.url + path)
            if (answer?.status() !== status) faults[kind] = answer?.status()
            const found = [...(await overflows(page)), ...(await faultsOf(page)), ...complaints]
            if (found.length > 0) faults[kind] = found
          }
          assert.deepStrictEqual(faults, {})
        })
      }
    )

    it.effect("the keyboard moves a trace and a comparison, searches, and closes a menu", function* () {
      const { failed, host, passed } = yield* Harbour
      const { complaints, page } = yield* openAs("owner")
      yield* Effect.promise(async () => {
        const current = (selector: string, name: string) =>
          page.waitForFunction(
            (of, text) => document.querySelector(of)?.textContent?.includes(text),
            {},
            selector,
            name
          )
        await page.setViewport({ width: 1280, height: 800 })
        await page.goto(failed.traceUrl)
        await current('.step[aria-current="step"]', "Expect lengths in feet")
        await page.keyboard.press("k")
        await current('.step[aria-current="step"]', "Go back to the slips")

        await page.goto(`${host.url}/compare?left=${passed.id}&right=${failed.id}`)
        await current('tr[aria-current="step"]', "Expect lengths in feet")
        await current(".differing", "areas differ")
        await page.keyboard.press("k")
        await current('tr[aria-current="step"]', "Go back to the slips")
        await page.keyboard.press("2")
        await page.waitForSelector('.sides[data-mode="swipe"]')

        await page.keyboard.down("Control")
        await page.keyboard.press("k")
        await page.keyboard.up("Control")
        await page.keyboard.type("shows fe")
        await page.waitForSelector('.top .found a[href*="/tests/"]')
        await page.keyboard.press("ArrowDown")
        assert.include(await focused(page), "Shows feet")
        await page.keyboard.press("Enter")
        await page.waitForFunction(() => document.querySelector("h1")?.textContent?.includes("Shows feet") === true)

        // Its script has begun.
        await page.waitForSelector(".menu label:not([hidden])")
        await page.focus(".menu summary")
        await page.keyboard.press("Enter")
        await page.waitForSelector(".menu[open]")
        await page.keyboard.press("Escape")
        await page.waitForSelector(".menu:not([open])")
        assert.include(await focused(page), "Menu")
      })
      assert.deepStrictEqual(complaints, [])
    })

    it.effect("an open page shows a run that is registered, and a theme stays chosen", function* () {
      const { account, host, preview } = yield* Harbour
      const { complaints, page } = yield* openAs("owner")
      yield* Effect.promise(() => page.goto(host.url))
      yield* registerRun(account, { previewShareId: preview.shareId, name: "Registered later", status: "failed" })
      yield* Effect.promise(async () => {
        await page.waitForFunction(() => document.body.textContent?.includes("Registered later"))
        await page.select("select.theme", "dark")
        await page.goto(`${host.url}/usage`)
        assert.isTrue(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === "dark"))
      })
      assert.deepStrictEqual(complaints, [])
    })

    it.effect("runs the bundle of a phone, which answers a tap", function* () {
      const { account } = yield* Harbour
      const { url } = yield* uploadFixture(account, "tour-0.86")
      const { complaints, page } = yield* openAs("owner")
      yield* Effect.promise(async () => {
        await page.setViewport({ width: 1280, height: 1300 })
        await page.goto(url)
        const frame = await (await page.waitForSelector(".device iframe"))?.contentFrame()
        await (await frame?.waitForSelector('[data-testid="station-device"]'))?.click()
        const shown = await frame?.waitForSelector('[data-testid="window"]')
        assert.strictEqual(await shown?.evaluate(({ textContent }) => textContent), "window 390×844 turns 0")
      })
      assert.deepStrictEqual(complaints, [])
    })
  })
} else {
  it.skip(`pages in Firefox: ${executablePath} is not installed`, () => {})
}
