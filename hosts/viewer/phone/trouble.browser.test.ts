/** Native bundles that fail, each in its own way: the page says what happened, and stays what it is. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { appFrame, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { appIn } from "./testing/App.ts"
import { uploadFixture } from "./testing/fixture.ts"

const account = newAccount(["preview_upload"])

/** What ends an app before it is there, and what the page says of it. */
const ends: ReadonlyArray<readonly [trouble: string, said: RegExp]> = [
  ["throws", /The harbour is closed[^]*at /],
  ["no-app", /registered no app/],
  ["throws-in-render", /The tide table is empty/]
]

/** What an app lives through, and what the page says of it besides. */
const lives: ReadonlyArray<readonly [trouble: string, said: RegExp]> = [
  ["unknown-module", /module HarbourRadar/],
  ["unknown-view", /component HarbourRadarView/],
  ["two-apps", /several apps: Trouble, Another/],
  ["throws-in-handler", /The rope is cut/]
]

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer), { timeout: "5 minutes" })("a native bundle", (it) => {
  const opened = Effect.fnUntraced(function* (trouble: string) {
    const { key } = yield* account
    const first = `globalThis.trouble = "${trouble}"\n`
    const preview = yield* uploadFixture({ key }, "trouble-0.86", { first })
    return yield* openSignedIn({ key }, preview.url)
  })

  it.effect.each(ends)("that %s is told of in its own words", ([trouble, said]) =>
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

  it.effect.each(lives)("with %s goes on", ([trouble, said]) =>
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
        await page.getByRole("button", { name: "Stop" }).click()
        await waitForState(page, "Stopped")
      })
    })
  )
})
