import type { Browser, CDPSession, Page } from "playwright-core"

/** The screen of the phone. */
export const screen = { width: 390, height: 844 }

/** How long a test runner waits for what it wants to see, and how long a finger takes. */
const timeoutsMs = { see: 2500, tap: 250 }

/** A picture of the screen, JPEG in base64, and its time. */
export interface Frame {
  readonly t: number
  readonly jpeg: string
}

/** A screenshot that a test took. */
export interface Shot {
  readonly t: number
  readonly name: string
  readonly bytes: Uint8Array
}

/** What a test can do with the app. */
export interface Phone {
  readonly open: () => Promise<void>
  readonly tap: (testId: string) => Promise<void>
  readonly type: (testId: string, text: string) => Promise<void>
  /** Waits for a text to be seen, or for one that begins or ends so; fails when it isn't in time. */
  readonly see: (text: string | RegExp, matcher?: string) => Promise<void>
  readonly shoot: (name: string) => Promise<void>
}

/** What is written down of a test, times in milliseconds from its beginning. */
export interface Notes {
  readonly phone: Phone
  readonly now: () => number
  readonly event: (event: Readonly<Record<string, unknown>>) => void
  readonly log: (level: string, text: string) => void
  readonly events: ReadonlyArray<string>
  readonly lines: ReadonlyArray<string>
  readonly frames: ReadonlyArray<Frame>
  readonly shots: ReadonlyArray<Shot>
  readonly close: () => Promise<void>
}

/** What a test wanted to see and didn't. */
export class NotSeen extends Error {}

const clockOf = (t: number): string =>
  `${String(Math.floor(t / 60_000)).padStart(2, "0")}:${String(Math.floor(t / 1000) % 60).padStart(2, "0")}.${String(t % 1000).padStart(3, "0")}`

const pause = (page: Page, milliseconds: number): Promise<void> =>
  page.evaluate((time) => new Promise<void>((resolve) => setTimeout(resolve, time)), milliseconds)

/** Keeps every picture of the screen that the browser draws. */
const film = async (session: CDPSession, frames: Array<Frame>, began: number): Promise<void> => {
  session.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    frames.push({ t: Math.max(0, (metadata.timestamp ?? 0) * 1000 - began), jpeg: data })
    void session.send("Page.screencastFrameAck", { sessionId })
  })
  await session.send("Page.startScreencast", { format: "jpeg", quality: 85, everyNthFrame: 1 })
}

/** Opens a phone whose app is at a URL, in a context of its own. */
export const openPhone = async (browser: Pick<Browser, "newContext">, url: string): Promise<Notes> => {
  const context = await browser.newContext({ viewport: screen, hasTouch: true, isMobile: true })
  const page = await context.newPage()
  const began = Date.now()
  const now = () => Date.now() - began
  const events: Array<string> = []
  const lines: Array<string> = []
  const frames: Array<Frame> = []
  const shots: Array<Shot> = []
  const event = (fields: Readonly<Record<string, unknown>>) => {
    events.push(JSON.stringify({ t: now(), ...fields }))
  }
  const log = (level: string, text: string) => {
    lines.push(`${clockOf(now())} ${level.padEnd(5)} ${text}`)
  }

  page.on("response", (response) => {
    const { pathname } = new URL(response.url())
    event({ type: "network", name: `${response.request().method()} ${pathname}`, status: String(response.status()) })
    log("DEBUG", `network ${response.request().method()} ${pathname} ${response.status()}`)
  })
  page.on("console", (message) => event({ type: "log", name: message.text(), level: message.type() }))
  await film(await context.newCDPSession(page), frames, began)

  const find = async (testId: string) => {
    const element = page.getByTestId(testId)
    await element.waitFor()
    await pause(page, timeoutsMs.tap)
    return element
  }

  const phone: Phone = {
    open: async () => {
      await page.goto(url)
    },
    tap: async (testId) => {
      const element = await find(testId)
      const box = await element.boundingBox()
      event({ type: "tap", name: testId, x: Math.round(box?.x ?? 0), y: Math.round(box?.y ?? 0) })
      log("DEBUG", `tap ${testId}`)
      await element.click({ force: true })
      await pause(page, timeoutsMs.tap)
    },
    type: async (testId, text) => {
      const element = await find(testId)
      await element.fill("")
      for (const key of text) {
        event({ type: "key", name: key, into: testId })
        await element.press(key === " " ? "Space" : key)
      }
      log("DEBUG", `type into ${testId}`)
    },
    see: async (text, matcher = String(text)) => {
      try {
        await page.getByText(text).locator("visible=true").first().waitFor({ timeout: timeoutsMs.see })
      } catch {
        throw new NotSeen(`Assertion is false: "${matcher}" is visible`)
      }
      event({ type: "assert", name: matcher, status: "passed" })
    },
    shoot: async (name) => {
      const t = now()
      shots.push({ t, name, bytes: new Uint8Array(await page.screenshot({ type: "jpeg", quality: 78 })) })
      event({ type: "screenshot", name })
    }
  }
  return { phone, now, event, log, events, lines, frames, shots, close: () => context.close() }
}
