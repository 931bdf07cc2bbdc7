/** What the page around a phone's own bundle says of it, and what its tools do to it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { type App, appIn, boxOf, until } from "../../phone/testing/App.ts"
import { appFrame, openApp, uploadFixture, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"

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

  it.effect("provides the fonts that are linked into an app, and that of Android", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const fontsOf = ({ frame }: App) =>
        frame.evaluate(async () => {
          await document.fonts.ready
          return Array.from(document.fonts, ({ family, status }) => `${family.replaceAll(`"`, "")} ${status}`)
        })
      const libraries = yield* uploadFixture({ key }, "libraries-2026")
      const { app, page } = yield* openApp({ key }, libraries.url)
      yield* Effect.promise(async () => {
        await app.tap("screen-paper")
        await page.locator(".console li", { hasText: "The icons of Material Design Icons are those of" }).waitFor()
        assert.include(await fontsOf(app), "Material Design Icons loaded")
      })
      const font = new Uint8Array(
        readFileSync(createRequire(import.meta.url).resolve("react-native-vector-icons/Fonts/Feather.ttf"))
      )
      const uploaded = yield* uploadFixture({ key }, "props-0.86", { more: { "fonts/Georgia-Bold.ttf": font } })
      const { app: props } = yield* openApp({ key }, uploaded.url)
      yield* Effect.promise(async () => {
        await props.tap("screen-text-style")
        await until(props, async () =>
          (await fontsOf(props)).includes("Georgia loaded") ? undefined : "the uploaded font isn't loaded"
        )
      })
      const preview = yield* uploadFixture({ key }, "android-0.86-libraries-android")
      const { app: android } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await android.says("system", "android 35 15")
        const loaded = await fontsOf(android)
        assert.lengthOf(
          loaded.filter((one) => one === "Phone System loaded"),
          2
        )
      })
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

  it.effect("says why a bundle of another engine or version can't run", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const bytecode = yield* uploadFixture({ key }, "bare-57-hermes")
      const old = yield* uploadScript({ key }, `// nativeLoggingHook nativeFabricUIManager\n__r(0)`)
      for (const [{ url }, why] of [
        [bytecode, /It is Hermes bytecode.*npx expo export --platform ios --no-bytecode/s],
        [old, /React Native 0.72 or before/]
      ] as const) {
        const { page } = yield* openSignedIn({ key }, url)
        yield* Effect.promise(() => page.locator(".why", { hasText: why }).waitFor())
      }
    })
  )

  it.effect("starts an app again, with a stub, that fails without a native module", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const bundle = `// nativeLoggingHook nativeFabricUIManager RN$AppRegistry
const tide = nativeModuleProxy["Ti" + "de"]
tide.rise().catch(() => console.log("it fell"))
RN$registerCallableModule("AppRegistry", () => ({ getAppKeys: () => ["Tide"], runApplication: () => {} }))`
      const preview = yield* uploadScript({ key }, bundle)
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(() => page.locator(".panel.console li", { hasText: "it fell" }).waitFor())
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

// Native bundles that fail, each in its own way: the page says what happened, and stays what it is.

const troubleAccount = newAccount(["preview_upload"])

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
    const { key } = yield* troubleAccount
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
      const { key } = yield* troubleAccount
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

// What the recipes of `docs/replay.md` make, drawn in a browser: an app with a picture, and AsyncStorage.

const recipeAccount = newAccount(["preview_upload"])

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("a recipe", (it) => {
  it.effect.each(["logbook-0.86", "logbook-57-web", "logbook-esbuild"])("%s draws its picture and stores", (name) =>
    Effect.gen(function* () {
      const { key } = yield* recipeAccount
      const preview = yield* uploadFixture({ key }, name)
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        // React Native for the web and the phone both draw a picture as the background of an element.
        const width = await app.at("buoy").evaluate(async (buoy) => {
          const urls = [buoy, ...buoy.querySelectorAll("*")].flatMap((part) => {
            const [, url] = /^url\("(.+)"\)$/.exec(getComputedStyle(part).backgroundImage) ?? []
            return url === undefined ? [] : [url]
          })
          const image = Object.assign(new Image(), { src: urls[0] ?? "" })
          await image.decode()
          return image.naturalWidth
        })
        assert.isAbove(width, 0)
        await app.says("said", "nothing written")
        await app.tap("write")
        await app.says("said", "1 written")
        await app.tap("write")
        await app.says("said", "2 written")
        await page.getByRole("button", { name: "Reload" }).click()
        await waitForState(page, "Running")
        const again = appIn(page, appFrame(page))
        await again.says("said", "nothing written")
        await again.tap("write")
        await again.says("said", "1 written")
      })
    })
  )
})
