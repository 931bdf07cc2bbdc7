import { Context, Effect, Layer } from "effect"
import { chromium, type Browser } from "playwright-core"
import { inject } from "vitest"

/** A browser whose pages wait for as long as a test may: on a busy machine Playwright's 30 seconds are too short. */
const waitingForTests = (browser: Browser): Browser => {
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(inject("waitMillis"))
    return context
  }
  return browser
}

/** A real browser: the one that `CHROMIUM` names, else the system's. */
export class Chromium extends Context.Service<Chromium, Browser>()("slipway/hosts/phone/testing/Chromium") {
  /** The browser with these switches too. */
  static readonly layerWith = (switches: ReadonlyArray<string>) =>
    Layer.effect(
      Chromium,
      Effect.acquireRelease(
        Effect.promise(() =>
          chromium.launch({
            executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
            args: [
              "--headless",
              "--no-sandbox",
              "--disable-gpu",
              "--disable-quic",
              "--no-first-run",
              "--disable-background-networking",
              "--disable-component-update",
              "--disable-sync",
              // As the whole browser does: an app that loops stops itself only.
              "--site-per-process",
              ...switches
            ]
          })
        ),
        (browser) => Effect.promise(() => browser.close())
      ).pipe(Effect.map(waitingForTests))
    )

  static readonly layer = Chromium.layerWith([])
}

/** A page in a new browser context, and the messages of its console. */
export const openPage = Effect.gen(function* () {
  const browser = yield* Chromium
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ viewport: { width: 1280, height: 900 } })),
    (opened) => Effect.promise(() => opened.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  return { page, context, complaints }
})
