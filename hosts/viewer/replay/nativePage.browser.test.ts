/** What the page around a phone's own bundle says of it, and what its tools do to it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { appFrame, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"
import { appIn, type App } from "../../phone/testing/App.ts"
import { openApp, uploadFixture } from "../testing/nativeApps.ts"

const account = newAccount(["preview_upload"])

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("the page of a native bundle", (it) => {
  it.effect("says what runs there, turns it, darkens it and loads it again", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "tour-0.86")
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await page.emulateMedia({ colorScheme: null })
        await page
          .getByText(/^React Native 0\.86\.3: the app’s own JavaScript, drawn by an emulation of the phone/)
          .waitFor()
        assert.isFalse(await page.locator(".missing").isVisible())
        await app.tap("station-device")
        await app.says("window", "window 390×844 turns 0")
        await page.getByRole("button", { name: "Rotate" }).click()
        await app.says("window", "window 844×390 turns 1")
        await page.getByRole("button", { name: "Rotate" }).click()
        await app.says("scheme", "scheme light changes 0")
        await page.locator(".setup summary").click()
        await page.getByLabel("Appearance").selectOption("Dark")
        await app.says("scheme", "scheme dark changes 1")
        await page.getByRole("button", { name: "Reload" }).click()
        await waitForState(page, "Running")
        await appIn(page, appFrame(page)).at("stations").waitFor()
      })
    })
  )

  it.effect("passes the settings of its menu to the app", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "tour-0.86")
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await app.tap("station-device")
        await app.says("scale", "scale agrees font 1")
        await page.locator(".setup summary").click()
        await page.getByLabel("Text size").selectOption("Accessibility 1")
        await app.says("scale", "scale agrees font 1.786")
        await page.getByLabel("Right to left").check()
        await page.getByRole("combobox", { name: "Device" }).selectOption("iPhone 17")
        await page.frameLocator(".device iframe").getByTestId("station-device").waitFor()
        const again = appIn(page, appFrame(page))
        await again.tap("station-device")
        await again.says("window", "window 402×874 turns 0")
        await again.says("scale", "scale agrees font 1.786")
        await again.at("state").filter({ hasText: "active rtl" }).waitFor()

        await page.getByRole("button", { name: "Grid" }).click()
        const cell = page.frameLocator(".grid figure:has-text('320 points') iframe")
        const size = await cell.getByTestId("station-device").evaluate(() => [innerWidth, innerHeight])
        assert.deepStrictEqual(size, [320, 693])
        await page.getByRole("button", { name: "Grid" }).click()
        assert.strictEqual(await page.locator("iframe").count(), 1)
      })
    })
  )

  it.effect("loads SQLite for an app with databases, and for no other", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const isLoaded = ({ app: { frame } }: { readonly app: App }) =>
        Effect.promise(() => frame.evaluate(() => "startSqlite" in globalThis))
      const preview = yield* uploadFixture({ key }, "expoNatives-57-11")
      const opened = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await opened.app.tap("sqlite")
        await opened.app.says("said", "sqlite: opened")
      })
      assert.isTrue(yield* isLoaded(opened))
      const other = yield* uploadFixture({ key }, "tour-0.86")
      assert.isFalse(yield* isLoaded(yield* openApp({ key }, other.url)))
    })
  )

  it.effect("loads the player of Lottie animations when an app shows one", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "natives-2026-11")
      const { app } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        const isLoaded = () => app.frame.evaluate(() => "lottiePlayer" in globalThis)
        await app.at("show lottie").waitFor()
        assert.isFalse(await isLoaded())
        await app.tap("show lottie")
        await app.at("animation").locator("svg path").waitFor()
        assert.isTrue(await isLoaded())
      })
    })
  )

  it.effect("delivers push notifications of its menu, and answers for permissions", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "expo-57")
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        const payload = page.getByLabel("Push notification")
        const send = async (text: string): Promise<void> => {
          await payload.fill(text)
          await page.keyboard.press("Tab")
          await page.keyboard.press("Enter")
        }
        const tide = JSON.stringify({ aps: { alert: { title: "Tide", body: "<b>High</b>" } }, berth: 7 })
        await app.says("permission", "notifications undetermined")
        await page.locator(".setup summary").click()
        await send(tide)
        await page.locator(".console li", { hasText: "the app has no permission for notifications" }).waitFor()
        await page.getByLabel("Permissions").selectOption("Granted")
        await send(`{ "aps": `)
        await page.getByRole("alert").filter({ hasText: "The payload is not JSON" }).waitFor()
        assert.strictEqual(await payload.getAttribute("aria-invalid"), "true")
        await app.says("pushed", "pushed nothing")
        await send(tide)
        await app.says("pushed", "pushed received Tide 7")
        assert.strictEqual(await payload.getAttribute("aria-invalid"), "false")
        await app.frame.getByRole("button", { name: "Tide <b>High</b>" }).click()
        await app.says("pushed", "pushed opened <b>High</b> true")
        await app.tap("ask")
        await app.says("permission", "notifications granted")
        await page.getByLabel("Permissions").selectOption("Denied")
        await app.tap("ask")
        await app.says("permission", "notifications denied")
        await page.getByLabel("Permissions").selectOption("Ask")
        await app.tap("ask")
        await app.frame.getByRole("button", { name: "Allow", exact: true }).click()
        await app.says("permission", "notifications granted")
      })
    })
  )

  it.effect("runs the HTML of a web view in a frame without an origin and without a network", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "natives-2026-11")
      const { app } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await app.tap("show webview")
        const page = app.at("page of html").locator("iframe").contentFrame()
        await page.getByText("Ahoy there").waitFor()
        const seen = await page.locator("body").evaluate(async () => [
          self.origin,
          await fetch("https://example.com/").then(
            () => "fetched",
            () => "refused"
          )
        ])
        assert.deepStrictEqual(seen, ["null", "refused"])
        await page.getByRole("button", { name: "Knock" }).click()
        await app.says("said", "message knock")
      })
    })
  )

  it.effect("says why a bundle of another platform, engine or version can't run", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const cases = [
        ["bare-0.86-android", /It was made for Android.*make the bundle with --platform ios/],
        ["bare-57-hermes", /It is Hermes bytecode.*npx expo export --platform ios --no-bytecode/s]
      ] as const
      for (const [name, why] of cases) {
        const preview = yield* uploadFixture({ key }, name)
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(() => page.locator(".why", { hasText: why }).waitFor())
      }
      const old = yield* uploadScript({ key }, `// nativeLoggingHook nativeFabricUIManager\n__r(0)`)
      const { page } = yield* openSignedIn({ key }, old.url)
      yield* Effect.promise(() => page.locator(".why", { hasText: "React Native 0.72 or before" }).waitFor())
    })
  )

  it.effect("of a bundle for the web names it, also where it began like a phone's", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const draws = `document.getElementById("root").textContent = "drawn"`
      for (const bundle of [draws, `// nativeLoggingHook\n${draws}`]) {
        const preview = yield* uploadScript({ key }, bundle)
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await page.getByText("It is a bundle for the web").waitFor()
          await page.frameLocator("iframe").getByText("drawn").waitFor()
          await waitForState(page, "Running")
        })
      }
    })
  )
})
