/** Hostile uploads that take focus, processor time and memory, in a real browser: the viewer's page keeps working. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestHost } from "../../http/testing/TestHost.ts"
import { appFrame, waitForState } from "../testing/app.ts"
import { openPage, openSignedIn } from "../testing/chromium.ts"
import {
  account,
  assertUsable,
  assertUsableByHand,
  Browser,
  engines,
  hostileBundles
} from "../testing/hostileBundles.ts"

for (const { kind, uploadScript } of hostileBundles) {
  layer(Layer.merge(TestHost.layer(engines), Browser))(kind, (it) => {
    it.effect("that keeps taking the focus is stopped; one that takes it once at its start is not", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const field = `document.getElementById("root").innerHTML = '<input aria-label="Name">'
        const field = document.querySelector("input")`
        const polite = yield* uploadScript({ key }, `${field}; field.focus()`)
        const thief = yield* uploadScript(
          { key },
          `${field}; setInterval(() => { field.blur(); field.focus(); window.focus() }, 20)`
        )
        const { page } = yield* openSignedIn({ key }, polite.url)
        yield* Effect.promise(async () => {
          const name = page.frameLocator("iframe").getByLabel("Name")
          await page.waitForFunction(() => document.activeElement?.localName === "iframe")
          await page.keyboard.type("Lif")
          // Moves the focus into the frame with the keyboard, from the element before it.
          await page.getByRole("button", { name: "Stop" }).focus()
          await page.keyboard.press("Tab")
          await page.waitForFunction(() => document.activeElement?.localName === "iframe")
          await appFrame(page).waitForFunction(
            () => document.hasFocus() && document.activeElement?.localName === "input"
          )
          await page.keyboard.type("Sven")
          assert.strictEqual(await name.inputValue(), "Sven")

          await page.goto(thief.url)
          await page.waitForFunction(() => document.activeElement?.localName === "iframe")
          await page.getByRole("button", { name: "Rotate" }).focus()
          await page.getByText("It kept taking the keyboard away").waitFor()
          await waitForState(page, "Stopped")
          assert.isTrue(await page.evaluate(() => document.activeElement?.textContent === "Rotate"))
          await page.keyboard.press("Enter")
          assert.strictEqual(await page.getByRole("button", { name: "Rotate" }).getAttribute("aria-pressed"), "true")
        })
      })
    )

    it.effect("that keeps scrolling the page to itself can be stopped by a person", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `const low = document.getElementById("root").appendChild(document.createElement("p"))
        low.style.marginTop = "90vh"
        setInterval(() => low.scrollIntoView(), 20)`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 900, height: 500 })
          await page.waitForFunction(() => scrollY > 200)
          const stop = page.getByRole("button", { name: "Stop" })
          const { height, width, x, y } = (await stop.boundingBox()) ?? assert.fail("the button is shown")
          assert.isTrue(y >= 0 && y + height <= 500)
          await page.mouse.click(x + width / 2, y + height / 2)
          await waitForState(page, "Stopped")
        })
      })
    )

    it.effect("that loops for ever doesn't block the page, which reports it, stops it and reloads it", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `document.body.append("here"); console.log("about to loop"); addEventListener("click", () => { for (;;); })`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await waitForState(page, "Running")
          // A click in the frame would wait for the app to handle it, which never happens.
          const { height, width, x, y } = (await page.locator("iframe").boundingBox()) ?? {
            x: 0,
            y: 0,
            width: 0,
            height: 0
          }
          await page.mouse.move(x + width / 2, y + height / 2)
          void page.mouse
            .down()
            .then(() => page.mouse.up())
            .catch(() => undefined)
          await waitForState(page, "Not answering")
          await page.getByText("It may be in an endless loop").waitFor()
          await assertUsable(page)
          await page.getByRole("button", { name: "Stop" }).click()
          await waitForState(page, "Stopped")
          assert.strictEqual(await page.locator("iframe").count(), 0)
          await page.getByRole("button", { name: "Reload" }).click()
          await waitForState(page, "Running")
          await page.frameLocator("iframe").getByText("here").waitFor()
        })
      })
    )

    it.effect("that loops from its first line on is reported too", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript({ key }, `for (;;);`)
        const { page } = yield* openPage
        yield* Effect.promise(async () => {
          await page.goto(preview.url)
          await page.getByLabel("API key").fill(key)
          await page.getByRole("button", { name: "Sign in" }).click()
          await waitForState(page, "Not answering")
          await assertUsable(page)
          await page.getByRole("button", { name: "Stop" }).click()
          await waitForState(page, "Stopped")
        })
      })
    )

    it.effect("that allocates without end crashes alone", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `document.body.append("here")
        const kept = []
        setTimeout(() => { for (;;) kept.push(new Array(1_000_000).fill(Math.random())) }, 1000)`
        )
        const { context, page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await page.waitForEvent("crash")
          await assertUsableByHand(context, page)
        })
      })
    )
  })
}
