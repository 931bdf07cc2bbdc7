import { once } from "node:events"
import { createServer } from "node:http"
import type { Browser, CDPSession, Page } from "playwright-core"
import type { BundledApp } from "../bundle.ts"

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
interface Shot {
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

/** A step of a test: its name, what it does, and the commands of Maestro that do the same. */
export type TestStep = readonly [
  name: string,
  act: (phone: Phone) => Promise<void>,
  command?: string | object | ReadonlyArray<string | object>
]

const launch: TestStep = [
  "Launch the app",
  async ({ open, see, shoot }) => {
    await open()
    await see("Kilvarra Harbour")
    await shoot("slips")
  },
  ["launchApp", { assertVisible: "Kilvarra Harbour" }]
]

/** `element` is what the test takes for the switch of lengths. */
const showsFeet = (element: string): ReadonlyArray<TestStep> => [
  launch,
  [
    "Open Settings",
    async ({ see, tap }) => {
      await tap("tab-settings")
      await see("Lengths in feet")
    },
    [{ tapOn: { id: "tab-settings" } }, { assertVisible: { id: "feet" } }]
  ],
  [
    "Type the name of the watch",
    ({ type }) => type("officer", "Noor Aziz"),
    [{ tapOn: { id: "officer" } }, "eraseText", { inputText: "Noor Aziz" }, "hideKeyboard"]
  ],
  [
    "Switch to feet",
    async ({ shoot, tap }) => {
      await tap(element)
      await shoot("settings")
    },
    { tapOn: { id: element } }
  ],
  ["Go back to the slips", ({ tap }) => tap("tab-slips"), { tapOn: { id: "tab-slips" } }],
  [
    "Expect lengths in feet",
    async ({ see, shoot }) => {
      // Recorded while it waits, so that it shows what the test saw.
      await shoot("lengths")
      await see(/\d ft$/, ".* ft")
    },
    { assertVisible: ".* ft" }
  ],
  [
    "Open the first slip",
    async ({ see, shoot, tap }) => {
      await tap("slip-a1")
      await see("Ines Halloran")
      await shoot("corncrake")
    },
    [{ tapOn: { id: "slip-a1" } }, { assertVisible: "Ines Halloran" }]
  ]
]

/** `element` is what the test taps to check the boat in. */
const reserves = (element: string): ReadonlyArray<TestStep> => [
  [
    "Launch the app",
    async ({ open, see }) => {
      await open()
      await see("Kilvarra Harbour")
    },
    ["launchApp", { assertVisible: "Kilvarra Harbour" }]
  ],
  ['Tap on "Evening Tide"', ({ tap }) => tap("slip-a2"), { tapOn: { id: "slip-a2" } }],
  [
    'Tap on "Check in"',
    async ({ see, shoot, tap }) => {
      await see("Check in")
      await shoot("due")
      await tap(element)
    },
    { tapOn: { id: element } }
  ],
  [
    'Assert that "In berth" is visible',
    async ({ see, shoot }) => {
      await shoot("reserved")
      await see("In berth")
    },
    { assertVisible: "In berth" }
  ],
  ["Go back to the slips", ({ tap }) => tap("tab-slips"), { tapOn: { id: "tab-slips" } }]
]

/** The tests that are recorded, by the folders in which what they leave is kept. */
export const tests: Readonly<Record<string, ReadonlyArray<TestStep>>> = {
  gate: [
    launch,
    ["Tap on Gate", ({ tap }) => tap("tab-gate")],
    ["Assert that Gate count is visible", ({ see }) => see("Gate count")],
    ["Tap on Count up", ({ tap }) => tap("count-up")],
    ["Tap on Count up again", ({ tap }) => tap("count-up")],
    ["Tap on Count up a third time", ({ tap }) => tap("count-up")],
    [
      "Assert that 3 is visible",
      async ({ see, shoot }) => {
        await see(/^3$/, "3")
        await shoot("gate")
      }
    ]
  ],
  "feet-passed": showsFeet("feet"),
  // Another switch stands where that of the lengths was, and the test takes it for that one.
  "feet-failed": showsFeet("power-alerts"),
  "reserve-passed": reserves("move"),
  // The tap misses the button, so the boat stays due.
  "reserve-failed": reserves("slip")
}

/** The app by itself, as a phone would have it. */
export const serve = async (app: BundledApp) => {
  const document = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>html, body, #root { height: 100%; margin: 0 } #root { display: flex }</style>
<link rel="icon" href="data:,"><div id="root"></div><script src="index.js"></script>`
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").slice(1)
    const file = app.files.find((one) => one.path === path)
    response.setHeader("content-type", path === app.entry ? app.bundleContentType : (file?.contentType ?? "text/html"))
    response.end(path === app.entry ? app.bundle : (file?.bytes ?? document))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    }
  }
}
