import { assert } from "@effect/vitest"
import type axe from "axe-core"
import { Effect, Schema } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { listen } from "../../../adapters/postgres/testing/freePort.ts"
import { Chromium, openPage } from "../../phone/testing/chromium.ts"

export { Chromium, openPage }

/** A page in which no script runs. */
export const openPageWithoutScripts = Effect.gen(function* () {
  const browser = yield* Chromium
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ javaScriptEnabled: false })),
    (opened) => Effect.promise(() => opened.close())
  )
  return yield* Effect.promise(() => context.newPage())
})

/** Asks for a page, and signs in on the way to it. */
export const signInAt = async (page: Page, url: string, key: string) => {
  await page.goto(url)
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(url)
}

/** As {@link openPage}, and at a URL, by who is signed in. */
export const openSignedIn = Effect.fnUntraced(function* (account: { readonly key: string }, url: string) {
  const opened = yield* openPage
  yield* Effect.promise(() => signInAt(opened.page, url, account.key))
  opened.complaints.length = 0 // Chromium complains about the 401 that the sign-in page is here.
  return opened
})

/** A page of any browser: of Playwright or of Puppeteer. */
interface AnyPage {
  readonly evaluate: (script: string) => Promise<unknown>
}

/** Half as long as `axe.source`, which each page parses again. */
const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

const asFaults = Schema.decodeUnknownSync(Schema.Array(Schema.String))

const found = async (page: AnyPage, options: axe.RunOptions): Promise<ReadonlyArray<string>> => {
  if ((await page.evaluate('"axe" in globalThis')) !== true) await page.evaluate(source)
  const asked = JSON.stringify({ iframes: false, resultTypes: ["violations"], ...options })
  return asFaults(
    await page.evaluate(`axe.run(${asked}).then(({ violations }) => violations.flatMap(({ help, id, nodes }) =>
      nodes.map(({ target }) => id + ": " + help + ": " + target.join(" "))))`)
  )
}

/**
 * The accessibility faults that axe finds on a page, in words, including targets that are too small. Frames are not
 * examined.
 */
export const violations = (page: AnyPage) => found(page, { rules: { "target-size": { enabled: true } } })

/** The faults of the colours only. */
export const paleness = (page: AnyPage) => found(page, { runOnly: ["color-contrast", "link-in-text-block"] })

/** How many pixels a page is wider than its window. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

/** The accessibility and layout faults of the open page: narrow and wide, light and dark. */
export const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await overflowOf(page)
    if (overflow > 0) faults.push(`${width}: ${overflow} pixels too wide`)
    faults.push(...(await violations(page)).map((fault) => `${width} light: ${fault}`))
  }
  // A window of 1280 × 800 at 200 % zoom.
  await page.setViewportSize({ width: 640, height: 400 })
  const overflow = await overflowOf(page)
  if (overflow > 0) faults.push(`at 200 % zoom: ${overflow} pixels too wide`)
  await page.setViewportSize({ width: 390, height: 900 })
  // The dark theme differs only in its colours, whatever the width.
  await page.emulateMedia({ colorScheme: "dark" })
  faults.push(...(await paleness(page)).map((fault) => `dark: ${fault}`))
  await page.emulateMedia({ colorScheme: "light" })
  return faults
}

/** Another server that accepts everything, and a record of what reached it: requests, connections and UDP packets. */
export const outside = Effect.acquireRelease(
  Effect.promise(async () => {
    const reached: Array<string> = []
    const server = createServer((request, response) => {
      reached.push(`${request.method} ${request.url}`)
      response.setHeader("access-control-allow-origin", "*")
      response.setHeader("access-control-allow-private-network", "true")
      response.end("// reached")
    })
    server.on("connection", () => reached.push("a connection"))
    const port = await listen(server)
    const packets = createSocket("udp4")
    packets.on("message", () => reached.push("a packet"))
    packets.bind(port, "127.0.0.1")
    await once(packets, "listening")
    return { server, packets, reached, url: `http://127.0.0.1:${port}/` }
  }),
  ({ packets, server }) =>
    Effect.promise(async () => {
      packets.close()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    })
)

/** Every part of a page that shows the current moment. */
export interface Moment {
  readonly time: string
  readonly step: string
  readonly event: string
  readonly log: string
  readonly shot: string
  readonly video: number
}

/** The state of a page, read at once so that it is consistent. */
export const momentOf = (page: Page): Promise<Moment> =>
  page.evaluate(() => {
    const text = (selector: string): string => document.querySelector(selector)?.textContent?.trim() ?? ""
    return {
      time: text(".time").split(" / ")[0] ?? "",
      step: text('.step[aria-current="step"] .what'),
      event: text('.events [role="option"][aria-current]'),
      log: text('.log [role="option"][aria-current]'),
      shot: document.querySelector(".shot img:not([hidden])")?.getAttribute("alt") ?? "",
      video: document.querySelector("video")?.currentTime ?? -1
    }
  })

/** Waits until a page shows a moment as it should be, at most for 1,800 of its frames; answers it. */
export const settled = async (page: Page, isThere: (moment: Moment) => boolean): Promise<Moment> => {
  let moment = await momentOf(page)
  for (let frames = 0; frames < 1800 && !isThere(moment); frames += 1) {
    await page.evaluate(() => new Promise(requestAnimationFrame))
    moment = await momentOf(page)
  }
  assert.isTrue(isThere(moment), JSON.stringify(moment))
  return moment
}

/** Whether two times of a video are the same, as far as its frames go. */
export const about = (one: number, other: number): boolean => Math.abs(one - other) < 0.05

/** Whether the video has reached the time of the clock. */
export const isTogether = ({ time, video }: Moment): boolean => about(video, Number(time.split(":")[1]))
