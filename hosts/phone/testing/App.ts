/** An app on its phone, on a page that has nothing else. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Frame, Locator, Page } from "playwright-core"
import { inject } from "vitest"
import { fixtureFile, readFixture } from "../fixtures/readFixture.ts"
import { openPage } from "./chromium.ts"
import { appAt, bundled, bundledCall, serve } from "./pages.ts"

/** An app on its phone, as a person or a test of it finds it: by `testID` and by text. */
export interface App {
  readonly page: Page
  readonly frame: Frame
  readonly at: (testID: string) => Locator
  readonly tap: (testID: string) => Promise<void>
  /** Waits until the part with this `testID` says this, and nothing else. */
  readonly says: (testID: string, text: string) => Promise<void>
  /** Waits until this edge or size of the part is what it should come to. */
  readonly comesTo: (
    testID: string,
    edge: "x" | "y" | "width" | "height",
    value: number,
    tolerance?: number
  ) => Promise<void>
  /** Drags from the middle of a part. */
  readonly drag: (testID: string, by: { readonly x: number; readonly y: number }) => Promise<void>
}

/** Looks again with each frame of the page until nothing is wrong any more; fails with what is still wrong. */
export const until = async ({ frame }: Pick<App, "frame">, wrong: () => Promise<string | undefined>): Promise<void> => {
  const end = AbortSignal.timeout(inject("waitMillis"))
  for (let seen = await wrong(); seen !== undefined; seen = await wrong()) {
    if (end.aborted) throw new Error(seen)
    await frame.evaluate(() => new Promise(requestAnimationFrame))
  }
}

/** Where a part is on the page. */
export const boxOf = async (part: Locator) => {
  const box = await part.boundingBox()
  if (box === null) throw new Error(`${part} is not shown`)
  return box
}

/** The text of the part with this `testID`. */
export const textOf = async ({ at }: App, testID: string): Promise<string> => (await at(testID).textContent()) ?? ""

const middleOf = async (part: Locator) => {
  await part.scrollIntoViewIfNeeded()
  const { height, width, x, y } = await boxOf(part)
  return { x: x + width / 2, y: y + height / 2 }
}

/** Waits until nothing moves that comes to rest: what enters the screen can't be tapped on its way. */
const settled = (frame: Frame) =>
  frame.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ effect, playState }) => playState !== "running" || effect?.getComputedTiming().iterations === Infinity)
  )

export const appIn = (page: Page, frame: Frame): App => {
  const at = (testID: string) => frame.getByTestId(testID)
  return {
    page,
    frame,
    at,
    tap: async (testID) => {
      await at(testID).waitFor()
      await settled(frame)
      await at(testID).click()
    },
    says: (testID, text) =>
      at(testID)
        .filter({ hasText: new RegExp(`^${RegExp.escape(text)}$`) })
        .waitFor(),
    comesTo: (testID, edge, value, tolerance = 1) =>
      until({ frame }, async () => {
        const seen = Math.round((await boxOf(at(testID)))[edge])
        return Math.abs(seen - value) > tolerance
          ? `the ${edge} of ${testID} is ${seen}, and never was ${value}`
          : undefined
      }),
    drag: async (testID, by) => {
      const from = await middleOf(at(testID))
      await page.mouse.move(from.x, from.y)
      await page.mouse.down()
      await page.mouse.move(from.x + by.x / 2, from.y + by.y / 2, { steps: 4 })
      await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 4 })
      await page.mouse.up()
    }
  }
}

/** As large as a usual phone, in points. */
const screen = { width: 390, height: 844 }

const page = (script: string): string => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<iframe src="app/" style="border:0" width="${screen.width}" height="${screen.height}"></iframe><script>${script}</script>`

const programs = async () => {
  const [inFrame, around, sqlite, lottie, skia] = await Promise.all([
    bundled(join(import.meta.dirname, "inFrame.ts")),
    // A mouse that leaves the frame is the app's until it is released.
    bundledCall("settings/messages.ts", "reportOutsideMouse", `() => document.querySelector("iframe") ?? undefined`),
    bundledCall("runtime/provideSqlite.ts", "provideSqlite"),
    bundledCall("runtime/provideLottie.ts", "provideLottie"),
    bundledCall("packs/skia.ts", "provideSkia")
  ])
  return { inFrame, around, lazy: { sqlite, lottie, skia } }
}

/** Never called: it tells `test:matrix --changed` which files the bundled programs import. */
export const programImports = () => [
  import("./inFrame.ts"),
  import("../settings/messages.ts"),
  import("../runtime/provideSqlite.ts"),
  import("../runtime/provideLottie.ts"),
  import("../packs/skia.ts")
]

let builtPrograms: ReturnType<typeof programs> | undefined

/** Opens one of the fixtures, with its bundle changed by `change`, on a page that has nothing but the phone. */
export const openApp = Effect.fnUntraced(function* (name: string, change?: (bundle: string) => string) {
  const opened = yield* openPage
  const { page: tab } = opened
  const { around, inFrame, lazy } = yield* Effect.promise(() => (builtPrograms ??= programs()))
  const { bundle, files } = readFixture(fixtureFile(name))
  const changed = change === undefined ? bundle : change(new TextDecoder().decode(bundle))
  const { url } = yield* Effect.acquireRelease(
    Effect.promise(() =>
      serve(
        new Map([
          ["/", { contentType: "text/html", body: page(around) }],
          ...appAt("/app", { bundle: changed, files }, { phone: inFrame, lazy })
        ])
      )
    ),
    ({ stop }) => Effect.sync(stop)
  )
  return yield* Effect.promise(async () => {
    await tab.setViewportSize({ width: 1280, height: 1300 })
    await tab.goto(url)
    const frame = tab.frames().find((one) => one.parentFrame() !== null)
    if (frame === undefined) throw new Error("the page has no frame")
    /** Turns the phone upright or on its side. */
    const turn = () =>
      tab.locator("iframe").evaluate((element) => {
        if (!(element instanceof HTMLIFrameElement)) return
        const { height, width } = element
        Object.assign(element, { height: width, width: height })
      })
    /** What the phone has noted so far. */
    const notes = () => frame.evaluate(() => Reflect.get(globalThis, "notes"))
    return { ...opened, app: appIn(tab, frame), notes, turn }
  })
})
