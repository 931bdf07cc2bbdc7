import { Effect } from "effect"
import { join } from "node:path"
import { fixtureFolder, readFixture } from "../fixtures/readFixture.ts"
import { appIn } from "./App.ts"
import { bundled } from "./bundled.ts"
import { openPage } from "./chromium.ts"
import { appAt, serve } from "./pages.ts"

/** As large as a usual phone, in points. */
const screen = { width: 390, height: 844 }

const page = (script: string): string => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<iframe src="app/" style="border:0" width="${screen.width}" height="${screen.height}"></iframe><script>${script}</script>`

const programs = async () => {
  const [inFrame = "", around = "", sqlite = "", lottie = ""] = await Promise.all(
    ["inFrame.ts", "aroundFrame.ts", "sqliteInFrame.ts", "lottieInFrame.ts"].map((program) =>
      bundled(join(import.meta.dirname, program))
    )
  )
  return { inFrame, around, lazy: { sqlite, lottie } }
}

/** Never called: it tells `test:matrix --changed` which files the bundled programs import. */
export const programImports = () => [
  import("./inFrame.ts"),
  import("./aroundFrame.ts"),
  import("./sqliteInFrame.ts"),
  import("./lottieInFrame.ts")
]

let made: ReturnType<typeof programs> | undefined

/** Opens one of the fixtures on a page that has nothing but the phone. */
export const openApp = Effect.fnUntraced(function* (name: string) {
  const opened = yield* openPage
  const { page: tab } = opened
  const { around, inFrame, lazy } = yield* Effect.promise(() => (made ??= programs()))
  const { url } = yield* Effect.acquireRelease(
    Effect.promise(() =>
      serve(
        new Map([
          ["/", { contentType: "text/html", body: page(around) }],
          ...appAt("/app", readFixture(fixtureFolder(name)), inFrame, lazy)
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
