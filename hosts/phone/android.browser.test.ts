/** What only Android has, or does otherwise than iOS, in a release bundle for it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { boxOf, openApp } from "./testing/App.ts"
import { Chromium } from "./testing/chromium.ts"

layer(Chromium.layer)("an app for Android", (it) => {
  it.effect("has the system, the components and the Back button of Android", () =>
    Effect.gen(function* () {
      const { app, complaints, page } = yield* openApp("android-0.86-android")
      const { at, drag, frame, says, tap } = app
      const back = frame.getByRole("button", { name: "Android Back" })
      yield* Effect.promise(async () => {
        await says("system", "android 35 15")
        assert.include(await at("card").evaluate((one) => getComputedStyle(one).boxShadow), "6px")
        assert.strictEqual(await at("medium").evaluate((one) => getComputedStyle(one).fontWeight), "500")
        await tap("feedback")
        await says("said", "pressed")
        const { x, y } = await boxOf(at("ripple"))
        await page.mouse.move(x + 8, y + 8)
        await page.mouse.down()
        await at("ripple").locator(".ripple").waitFor()
        await page.mouse.up()
        await at("ripple").locator(".ripple").waitFor({ state: "detached" })
        await tap("switch")
        await at("switch")
          .and(frame.getByRole("switch", { checked: false }))
          .waitFor()
        await drag("said", { x: 0, y: 200 })
        await says("refreshes", "refreshes 1")

        await back.click()
        await says("said", "back")
        await tap("feedback")
        await says("said", "pressed")
        await frame.evaluate(() => Reflect.get(globalThis, "flow").perform({ name: "back", value: undefined }))
        await says("said", "back")
        for (const [answer, expected] of [
          ["Later", "later"],
          ["No", "no"],
          ["Yes", "yes"]
        ] as const) {
          await tap("alert")
          await frame.getByRole("button", { name: answer }).click()
          await says("said", expected)
        }
        await tap("alert")
        await back.click()
        await says("said", "dismissed")
        await tap("open-drawer")
        await says("said", "drawer open")
        await back.click()
        await says("said", "drawer closed")
        await tap("open-modal")
        await at("in-modal").waitFor()
        await back.click()
        await at("in-modal").waitFor({ state: "detached" })
        await at("field").click()
        await frame.locator('[data-key="q" i]').waitFor()
        await back.click()
        await frame.locator('[data-key="q" i]').waitFor({ state: "detached" })
        await tap("toast")
        await frame.getByRole("status").filter({ hasText: "Moored" }).waitFor()
        await tap("ask")
        await frame.getByRole("button", { name: "Allow", exact: true }).click()
        await frame.getByRole("button", { name: "Don’t Allow" }).click()
        await says("said", '["granted","denied"]')
        assert.deepStrictEqual(complaints, [])
      })
    })
  )
})
