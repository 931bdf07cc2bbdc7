/** Native bundles that fail, each in its own way: the page says what happened, and stays what it is. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { appFrame, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { appIn, boxOf } from "../../phone/testing/App.ts"
import { uploadFixture } from "../testing/nativeApps.ts"

const account = newAccount(["preview_upload"])

/** Failures before an app starts, and the texts on the page. */
const ends: ReadonlyArray<readonly [trouble: string, said: RegExp]> = [
  ["throws", /The harbour is closed[^]*at /],
  ["no-app", /It ran to its end and registered no app/],
  ["throws-in-render", /The tide table is empty/]
]

/** Failures that an app survives, and the texts on the page. */
const lives: ReadonlyArray<readonly [trouble: string, said: RegExp]> = [
  ["unknown-module", /module HarbourRadar/],
  ["modules-in-a-loop", /It needs 100 modules and views that don’t exist; more aren’t listed/],
  ["unknown-view", /component HarbourRadarView/]
]

/** What the page says is wrong. */
const trouble = (page: Page) => page.locator(".trouble").innerText()

const stop = async (page: Page) => {
  await page.getByRole("button", { name: "Stop" }).click()
  await waitForState(page, "Stopped")
  assert.strictEqual(await page.locator("iframe").count(), 0)
}

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("a native bundle", (it) => {
  const opened = Effect.fnUntraced(function* (trouble: string) {
    const { key } = yield* account
    const first = `globalThis.trouble = "${trouble}"\n`
    const preview = yield* uploadFixture({ key }, "trouble-0.86", { first })
    return yield* openSignedIn({ key }, preview.url)
  })

  it.effect.each(ends)("that fails by %s is reported in its own words", ([trouble, said]) =>
    Effect.gen(function* () {
      const { page } = yield* opened(trouble)
      yield* Effect.promise(async () => {
        await page.locator("main").filter({ hasText: said }).waitFor()
        assert.notMatch(await page.locator("main").innerText(), /endless loop/)
        await page.getByRole("button", { name: "Reload" }).click()
        await page.locator("main").filter({ hasText: said }).waitFor()
      })
    })
  )

  it.effect.each(lives)("with %s continues to run", ([trouble, said]) =>
    Effect.gen(function* () {
      const { page } = yield* opened(trouble)
      yield* Effect.promise(async () => {
        // Large enough for the phone to be shown as large as it is.
        await page.setViewportSize({ width: 1280, height: 1300 })
        await waitForState(page, "Running")
        const { says, tap } = appIn(page, appFrame(page))
        await says("ready", `Ready for ${trouble}`)
        await tap("press")
        await says("presses", "pressed 1")
        await page.locator("main").filter({ hasText: said }).waitFor()
        await stop(page)
      })
    })
  )

  it.effect("that throws while it handles a press has crashed, though it is still there", () =>
    Effect.gen(function* () {
      const { page } = yield* opened("throws-in-handler")
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 1300 })
        await waitForState(page, "Running")
        await appIn(page, appFrame(page)).tap("press")
        await waitForState(page, "Crashed")
        assert.match(
          await trouble(page),
          /a release build would have closed[^]*The rope is cut[^]* \(\.\/main\.jsbundle/
        )
        assert.notInclude(await trouble(page), "/replay/")
        await page.getByRole("button", { name: "Reload" }).click()
        await waitForState(page, "Running")
      })
    })
  )

  it.effect("that registers several apps asks which of them is to run", () =>
    Effect.gen(function* () {
      const { page } = yield* opened("two-apps")
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 1300 })
        const app = page.frameLocator("iframe")
        await app.getByRole("button", { name: "Another" }).waitFor()
        assert.strictEqual(await app.getByTestId("ready").count(), 0)
        await app.getByRole("button", { name: "Trouble" }).click()
        await app.getByTestId("ready").filter({ hasText: "Ready for two-apps" }).waitFor()
      })
    })
  )

  it.effect("that draws nothing but white views is reported as empty", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript(
        { key },
        `const root = document.getElementById("root")
        root.className = "phone"
        root.innerHTML = '<div style="height: 400px; background: #fff"><div style="height: 90px"></div></div>'
        document.documentElement.style.background = "#fff"`
      )
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        await page.getByText("has drawn nothing for five seconds").waitFor()
        await appFrame(page).evaluate(() => document.querySelector("#root div div")?.append("drawn"))
        await waitForState(page, "Running")
      })
    })
  )

  it.effect("whose evaluation never ends is reported; it can be stopped and loaded again", () =>
    Effect.gen(function* () {
      const { page } = yield* opened("endless-loop")
      yield* Effect.promise(async () => {
        for (const what of ["loaded", "loaded again"]) {
          await waitForState(page, "Not answering")
          // The activity is known only after the page has asked.
          assert.match(await trouble(page), /may be in an endless loop/, what)
          await stop(page)
          await page.getByRole("button", { name: "Reload" }).click()
        }
      })
    })
  )

  it.effect("whose touch handler never ends is reported; it can be stopped and loaded again", () =>
    Effect.gen(function* () {
      const { page } = yield* opened("loops-in-handler")
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 1300 })
        await waitForState(page, "Running")
        const { height, width, x, y } = await boxOf(appFrame(page).getByTestId("press"))
        await page.mouse.move(x + width / 2, y + height / 2)
        // Neither is answered once the app loops.
        for (const unanswered of [page.mouse.down(), page.mouse.up()]) void unanswered.catch(() => undefined)
        await waitForState(page, "Not answering")
        assert.match(await trouble(page), /endless loop: it is handling topTouchEnd of “press”/)
        await stop(page)
        await page.getByRole("button", { name: "Reload" }).click()
        await waitForState(page, "Running")
        await appIn(page, appFrame(page)).says("presses", "pressed 0")
      })
    })
  )

  it.effect("with 100,000 components is drawn, which is no endless loop", () =>
    Effect.gen(function* () {
      const { page } = yield* opened("100,000-nodes")
      yield* Effect.promise(async () => {
        const said = await page.evaluateHandle(() => {
          const texts: Array<string> = []
          const look = () => texts.push(document.querySelector<HTMLElement>(".trouble")?.innerText ?? "")
          new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
          return texts
        })
        await appIn(page, appFrame(page)).says("ready", "Ready for 100,000-nodes")
        await waitForState(page, "Running")
        assert.notMatch((await said.jsonValue()).join(), /endless loop/)
        await stop(page)
      })
    })
  )

  it.effect("that grows without end is stopped at a phone's limit, and the page shows why", () =>
    Effect.gen(function* () {
      const { page } = yield* opened("grows")
      yield* Effect.promise(async () => {
        await waitForState(page, "Failed")
        assert.match(await trouble(page), /draws nothing any more[^]*more than 120,000 components at a time[^]*at /)
        await page.getByRole("button", { name: "Reload" }).click()
        await appIn(page, appFrame(page)).says("ready", "Ready for grows")
        await stop(page)
      })
    })
  )

  it.effect("whose components stand in 500 others is drawn", () =>
    Effect.gen(function* () {
      const { page } = yield* opened("deep")
      yield* Effect.promise(async () => {
        await waitForState(page, "Running")
        await appIn(page, appFrame(page)).says("deepest", "deep")
      })
    })
  )
})
