/**
 * The replay in the full window, in a real browser: the bar that names its owner stays visible, whatever an app does.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { violations } from "../testing/axe.ts"
import { appFrame, buildScript } from "../testing/app.ts"
import { Chromium, openPageWithoutScripts, openSignedIn, signInAt } from "../testing/chromium.ts"

/** An app that looks like a sign-in page and tries to fill the whole window. */
const impostor = `
  document.body.innerHTML = '<main id="low" style="position: fixed; inset: -9999px; z-index: 2147483647; background: #fff">' +
    '<h1>Sign in to Slipway</h1><input autofocus></main><p style="margin-top: 9000px">low</p>'
  const tall = () => {
    document.querySelector("p").scrollIntoView({ block: "start" })
    document.querySelector("input").focus()
    scrollTo(0, 9000)
    for (const one of [top, parent]) {
      try { one.scrollTo(0, 9000) } catch {}
      try { one.resizeTo(1, 1) } catch {}
    }
    document.documentElement.requestFullscreen().catch(() => {})
  }
  setInterval(tall, 20)
  addEventListener("click", tall)
  addEventListener("keydown", tall)
  setTimeout(() => (self.hasTried = true), 300)`

/** Window sizes: wide, phones in both orientations, zoomed to 400 %, and very small. */
const windows = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 320, height: 225 },
  { width: 480, height: 90 }
]

/** Checks that the bar is at the top of the window, that nothing covers it, and that the app is below it. */
const assertBarSeen = async (page: Page, what: string): Promise<void> => {
  const seen = await page.evaluate(() => {
    const [header, frame] = [document.querySelector("header"), document.querySelector("iframe")]
    const bar = header?.getBoundingClientRect() ?? new DOMRect()
    const points = [0.02, 0.25, 0.5, 0.75, 0.98].flatMap((x) => [0.05, 0.5, 0.95].map((y) => [x, y] as const))
    return {
      bar: [bar.x, bar.y, bar.width, Math.min(bar.height, 1)],
      isWhole: header !== null && header.scrollHeight <= header.clientHeight && bar.bottom <= innerHeight,
      isOnTop: points.every(([x, y]) => {
        const there = document.elementFromPoint(bar.x + bar.width * x, bar.y + bar.height * y)
        return there !== null && there.closest("header") !== null
      }),
      isFrameBelow: (frame?.getBoundingClientRect().top ?? 0) >= bar.bottom,
      scrolled: [scrollX, scrollY, document.body.scrollTop, document.documentElement.scrollTop],
      width: innerWidth
    }
  })
  const { width, ...rest } = seen
  assert.deepStrictEqual(
    rest,
    { bar: [0, 0, width, 1], isWhole: true, isOnTop: true, isFrameBelow: true, scrolled: [0, 0, 0, 0] },
    what
  )
}

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("the replay in the full window", (it) => {
  it.effect("can't cover or move the bar above it, in windows of every size and in print", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(["builds"])
      const build = yield* buildScript(account, impostor)
      const { page } = yield* openSignedIn(account, build.previewUrl ?? "")
      yield* Effect.promise(async () => {
        for (const size of windows) {
          await page.setViewportSize(size)
          await page.reload()
          await appFrame(page).waitForFunction(() => Reflect.get(self, "hasTried") === true)
          await assertBarSeen(page, JSON.stringify(size))
          await page.mouse.click(size.width / 2, size.height - 5)
          await page.keyboard.press("a")
          await assertBarSeen(page, `${JSON.stringify(size)}, clicked`)
        }
        assert.isTrue(await page.evaluate(() => document.fullscreenElement === null))
        assert.deepStrictEqual(await violations(page), [])

        await page.emulateMedia({ media: "print" })
        await assertBarSeen(page, "on paper")
        await page.emulateMedia({ media: "screen" })

        await page.setViewportSize({ width: 1280, height: 900 })
        const bar = page.locator("header")
        for (const fact of ["not a part of Slipway", `${build.owner}/${build.repo}`, build.commitSha.slice(0, 7)]) {
          await bar.getByText(fact).waitFor()
        }
        await page.getByRole("link", { name: "Back to the build" }).click()
        await page.waitForURL(build.url)
      })
    })
  )

  it.effect("has its bar without JavaScript too", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(["builds"])
      const build = yield* buildScript(account, impostor)
      const page = yield* openPageWithoutScripts
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 390, height: 300 })
        await signInAt(page, build.previewUrl ?? "", account.key)
        const bar = (await page.locator("header").boundingBox()) ?? assert.fail("the bar is shown")
        const frame = (await page.locator("iframe").boundingBox()) ?? assert.fail("the frame is shown")
        assert.deepStrictEqual([bar.x, bar.y, bar.width], [0, 0, 390])
        assert.isAtLeast(frame.y, bar.y + bar.height)
        assert.closeTo(frame.y + frame.height, 300, 1)
        await page.getByRole("link", { name: "Back to the build" }).click()
        await page.waitForURL(build.url)
      })
    })
  )
})
