import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { bundled } from "../testing/pages.ts"
import { Chromium, openPage } from "../testing/chromium.ts"

/** A square of 20 points that moves through 100 points in a second, from 0 to 100. */
const square = {
  v: "5.5.7",
  fr: 50,
  ip: 0,
  op: 50,
  w: 100,
  h: 50,
  assets: [],
  layers: [
    {
      ty: 4,
      nm: "Buoy",
      ip: 0,
      op: 50,
      st: 0,
      ks: {
        o: { a: 0, k: 100 },
        r: { a: 0, k: 0 },
        p: {
          a: 1,
          k: [
            { t: 0, s: [0, 25, 0], i: { x: 1, y: 1 }, o: { x: 0, y: 0 } },
            { t: 50, s: [100, 25, 0] }
          ]
        },
        a: { a: 0, k: [0, 0, 0] },
        s: { a: 0, k: [100, 100, 100] }
      },
      shapes: [
        { ty: "rc", nm: "Square", d: 1, s: { a: 0, k: [20, 20] }, p: { a: 0, k: [0, 0] }, r: { a: 0, k: 0 } },
        { ty: "fl", nm: "Fill", c: { a: 0, k: [0, 0, 1, 1] }, o: { a: 0, k: 100 }, r: 1 }
      ]
    }
  ]
}

const sourceJson = JSON.stringify(square)

const open = async (page: Page, hasPlayer = true) => {
  await page.clock.install({ time: 0 })
  await page.setContent("<!doctype html><meta charset=utf-8><style>body { margin: 0 }</style><body>")
  await page.clock.pauseAt(1000)
  await page.evaluate(`var hasNoPlayer = ${!hasPlayer}`)
  await page.evaluate(await bundled(join(import.meta.dirname, "../testing/lottieInPage.ts")))
  const call = (method: string, ...values: ReadonlyArray<unknown>) =>
    page.evaluate(([method, values]) => Reflect.get(globalThis, "lottieView")[method](...values), [
      method,
      values
    ] as const)
  return {
    change: (props: object) => call("change", props),
    command: (name: string, ...values: ReadonlyArray<unknown>) => call("command", name, ...values),
    /** Lets the clock of the page run for so many frames of the animation. */
    pass: (frames: number) => page.clock.runFor(frames * 20),
    events: (): Promise<ReadonlyArray<readonly [name: string, payload: object]>> =>
      page.evaluate(() => Reflect.get(globalThis, "lottieView").events),
    /** Where the square is in the animation: its frame comes to twice that in points. */
    frame: () =>
      page.locator("svg path").evaluate((path) => {
        const { left, width } = path.getBoundingClientRect()
        return (left + width / 2) / 4
      })
  }
}

/** An event that the app gets after a promise is there once the clock has been asked to run. */
const loaded = ["topAnimationLoaded", {}] as const
const finished = (isCancelled: boolean) => ["topAnimationFinish", { isCancelled }] as const

layer(Chromium.layer)("an animation of lottie-react-native", (it) => {
  const opened = Effect.fnUntraced(function* (hasPlayer = true) {
    const { complaints, page } = yield* openPage
    return { page, complaints, view: yield* Effect.promise(() => open(page, hasPlayer)) }
  })

  it.effect("is drawn, plays, and finishes", () =>
    Effect.gen(function* () {
      const { complaints, page, view } = yield* opened()
      yield* Effect.promise(async () => {
        await view.change({ sourceJson, autoPlay: true, loop: false, speed: 1, resizeMode: "contain" })
        await page.locator("svg path[fill='rgb(0,0,255)']").waitFor()
        // As the library, which plays at once.
        await view.command("play", -1, -1)
        assert.closeTo(await view.frame(), 0, 0.1)
        await view.pass(25)
        assert.closeTo(await view.frame(), 25, 2)
        assert.deepStrictEqual(await view.events(), [loaded])
        await view.pass(30)
        assert.closeTo(await view.frame(), 50, 0.1)
        assert.deepStrictEqual(await view.events(), [loaded, finished(false)])
        assert.deepStrictEqual(complaints, [])
      })
    })
  )

  it.effect("plays a part, backwards, faster and again and again, and is paused and reset", () =>
    Effect.gen(function* () {
      const { page, view } = yield* opened()
      yield* Effect.promise(async () => {
        await view.change({ sourceJson, loop: false, speed: 1, progress: 0.5 })
        await page.locator("svg path").waitFor()
        assert.closeTo(await view.frame(), 25, 0.1)
        await view.command("play", 40, 20)
        await view.pass(25)
        assert.closeTo(await view.frame(), 20, 0.1)
        await view.command("play", 30, 40)
        await view.pass(5)
        await view.command("pause")
        const paused = await view.frame()
        assert.closeTo(paused, 35, 2)
        await view.pass(5)
        assert.strictEqual(await view.frame(), paused)
        await view.command("reset")
        assert.closeTo(await view.frame(), 0, 0.1)
        await view.change({ loop: true, speed: 2 })
        await view.pass(60)
        assert.closeTo(await view.frame(), 20, 4)
        await view.change({ progress: 0.2 })
        assert.closeTo(await view.frame(), 10, 0.1)
        assert.deepStrictEqual(await view.events(), [loaded, finished(false), finished(true), finished(true)])
      })
    })
  )

  it.effect("has the size and the colors that the app gives it, and may be a file", () =>
    Effect.gen(function* () {
      const { page, view } = yield* opened()
      yield* Effect.promise(async () => {
        const sourceURL = `data:application/json,${encodeURIComponent(sourceJson)}`
        await view.change({ sourceURL, resizeMode: "center", colorFilters: [{ keypath: "Buoy", color: 0xffff0000 }] })
        const square = page.locator("svg path")
        const width = async () => (await square.boundingBox())?.width
        await page.locator("svg path[fill='rgb(255,0,0)']").waitFor()
        assert.closeTo((await width()) ?? 0, 20, 0.1)
        await view.change({ resizeMode: "contain" })
        assert.closeTo((await width()) ?? 0, 40, 0.1)
        await view.change({ resizeMode: "cover", colorFilters: [{ keypath: "**", color: 0xff00ff00 }] })
        await page.locator("svg[preserveAspectRatio='xMidYMid slice'] path[fill='rgb(0,255,0)']").waitFor()
      })
    })
  )

  it.effect("plays the part for reduced motion instead", () =>
    Effect.gen(function* () {
      const { page, view } = yield* opened()
      yield* Effect.promise(async () => {
        await page.emulateMedia({ reducedMotion: "reduce" })
        const markers = [{ cm: "Reduced Motion", tm: 10, dr: 2 }]
        await view.change({ sourceJson: JSON.stringify({ ...square, markers }), autoPlay: true, loop: false })
        await page.locator("svg path").waitFor()
        await view.pass(5)
        assert.closeTo(await view.frame(), 12, 0.1)
        assert.deepStrictEqual(await view.events(), [loaded, finished(false)])
      })
    })
  )

  it.effect("is a labelled box with the reason if it can't be drawn", () =>
    Effect.gen(function* () {
      const { page, view } = yield* opened()
      yield* Effect.promise(async () => {
        const broken = { ...square, layers: [{ ty: 4, ip: 0, op: 50, st: 0, shapes: [] }] }
        const reasons = [
          [{ sourceJson: "{" }, /^Lottie animation: .*JSON/],
          [{ sourceJson: "{}" }, /^Lottie animation: it has no layers, frames or size$/],
          [{ sourceJson: JSON.stringify(broken) }, /^Lottie animation: it can’t be drawn$/],
          [{ sourceJson: "", sourceURL: "data:application/json,[" }, /^Lottie animation: .*JSON/],
          [{ sourceURL: "", sourceName: "tide" }, /^Lottie animation: “tide” is in the app’s binary/],
          [{ sourceName: "", sourceDotLottieURI: "file:///app/tide.lottie" }, /: a replay draws no .lottie files$/]
        ] as const
        for (const [source, reason] of reasons) {
          await view.change({ ...source, autoPlay: true })
          await page.getByText(reason).waitFor()
          assert.strictEqual(await page.locator("svg").count(), 0)
        }
        const events = await view.events()
        assert.deepStrictEqual(
          events.map(([name]) => name),
          reasons.map(() => "topAnimationFailure")
        )
        assert.match(JSON.stringify(events.at(-1)), /Unable to load the Lottie animation: a replay draws no/)
        await view.change({ sourceJson })
        await page.locator("svg path").waitFor()
        assert.strictEqual(await page.getByText("Lottie animation").count(), 0)
      })
    })
  )

  it.effect("is a labelled box that finishes on a page without the player", () =>
    Effect.gen(function* () {
      const { page, view } = yield* opened(false)
      yield* Effect.promise(async () => {
        await view.change({ sourceJson, autoPlay: true, loop: false })
        await page.getByText("Lottie animation").waitFor()
        await view.pass(55)
        assert.deepStrictEqual(await view.events(), [loaded, finished(false)])
      })
    })
  )
})
