/** The replay on its page, in a real browser: the device, the console beside it, and what can't run. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { build } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { bytes, sha256 } from "../../http/testing/uploads.ts"
import { appFrame, buildScript, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, openPageWithoutScripts, openSignedIn, signInAt, violations } from "../testing/chromium.ts"

const account = newAccount(["builds", "preview_upload"])

const picture = new Uint8Array(readFileSync(join(import.meta.dirname, "..", "..", "demo", "app", "assets", "sail.png")))
const recorded = {
  fields: {
    recordings: [
      { name: "boot.log", kind: "log", contentType: "text/plain", sizeBytes: 3 },
      { name: "shot.png", kind: "screenshot", contentType: "application/octet-stream", sizeBytes: picture.byteLength }
    ]
  },
  content: { recordings: [bytes("on\n"), picture] }
}

const hermes = Uint8Array.from([0xc6, 0x1f, 0xbc, 0x03, 0xc1, 0x03, 0x19, 0x1f, 96, 0, 0, 0])

const engines = embedded()

layer(Layer.merge(TestHost.layer(engines), Chromium.layer))("the replay on its page", (it) => {
  it.effect("has storage that is forgotten with the page", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const script = `
          const seen = localStorage.length
          localStorage.setItem("boat", 7); localStorage.berth = "twelve"; sessionStorage.setItem("boat", "other")
          const keys = Object.keys(localStorage).join(" ")
          delete localStorage.berth
          document.getElementById("root").textContent = [
            seen, keys, localStorage.getItem("boat"), localStorage.boat, localStorage.key(0), "berth" in localStorage,
            localStorage.getItem("berth"), sessionStorage.getItem("boat"), localStorage instanceof Storage
          ].join(", ")`
      const preview = yield* uploadScript({ key }, script)
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        const said = "0, boat berth, 7, 7, boat, false, , other, true"
        const root = page.frameLocator("iframe").locator("html:not([lang=old]) #root")
        await root.filter({ hasText: said }).waitFor()
        await appFrame(page).evaluate(() => (document.documentElement.lang = "old"))
        await page.getByRole("button", { name: "Reload" }).click()
        await root.filter({ hasText: said }).waitFor()
        assert.strictEqual(await page.evaluate(() => localStorage.getItem("boat")), null)
      })
    })
  )

  it.effect("gets a click while its page is busy", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript(
        { key },
        `document.getElementById("root").textContent = "here"; onpointerdown = () => { document.title = "pressed" }`,
        { platform: "ios", deviceSpec: { width: 400, height: 800 } }
      )
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        await waitForState(page, "Running")
        const { height, width, x, y } = (await page.locator("iframe").boundingBox()) ?? assert.fail("it is shown")
        // The page waits for this answer, and does nothing else, until the app has got the click.
        let answer = () => {}
        const asked = new Promise<void>((resolve) => {
          void page.route("**/answered-later", async (route) => {
            answer = () => void route.fulfill({ body: "" })
            resolve()
          })
        })
        const waits = page.evaluate(() => {
          const request = new XMLHttpRequest()
          request.open("GET", "/answered-later", false)
          request.send()
        })
        await asked
        const clicked = page.mouse.click(x + width / 2, y + height / 2)
        await appFrame(page).waitForFunction(() => document.title === "pressed")
        answer()
        await Promise.all([waits, clicked])
      })
    })
  )

  it.effect("is scaled, turned and reloaded, and receives clicks at the right position", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript(
        { key },
        `const root = document.getElementById("root")
        root.innerHTML = '<button style="position: absolute; left: 100px; top: 700px; width: 200px; height: 80px">0</button>'
        root.firstChild.onclick = () => root.firstChild.textContent++`,
        { platform: "ios", deviceSpec: { width: 400, height: 800 } }
      )
      const { complaints, page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 600 })
        await waitForState(page, "Running")
        const size = () => appFrame(page).evaluate(() => [innerWidth, innerHeight])
        assert.deepStrictEqual(await size(), [400, 800])
        const frame = page.locator("iframe")
        const fitted = (await frame.boundingBox()) ?? assert.fail("the frame is shown")
        assert.isBelow(fitted.height, 600)
        assert.closeTo(fitted.width / fitted.height, 0.5, 0.01)
        await frame.scrollIntoViewIfNeeded()
        const { height, width, x, y } = (await frame.boundingBox()) ?? assert.fail("the frame is shown")
        const button = page.frameLocator("iframe").locator("button")
        // For half a second Chromium gives no clicks to a frame that has moved.
        const clicks = async (): Promise<string | null> => {
          await page.mouse.click(x + width / 2, y + (740 / 800) * height)
          await appFrame(page).evaluate(() => new Promise(requestAnimationFrame))
          const count = await button.textContent()
          return count === "0" ? clicks() : count
        }
        const count = await clicks()

        await page.getByRole("button", { name: "Rotate" }).click()
        await appFrame(page).waitForFunction(() => innerWidth === 800 && innerHeight === 400)
        await page.getByRole("button", { name: "Rotate" }).click()
        await page.locator(".setup summary").click()
        await page.getByLabel("Actual size").focus()
        await page.keyboard.press("Space")
        await page.locator(".setup summary").click()
        assert.deepStrictEqual((await frame.boundingBox())?.width, 400)
        assert.strictEqual(await button.textContent(), count)

        await page.getByRole("button", { name: "Reload" }).click()
        await button.getByText("0").waitFor()

        await page.getByRole("button", { name: "Full screen" }).click()
        const bar = page.getByRole("button", { name: "An uploaded app, not a part of Slipway Leave the full screen" })
        const below = (await bar.boundingBox())?.height ?? 0
        assert.approximately((await frame.boundingBox())?.y ?? 0, below, 0.5)
        assert.approximately((await frame.boundingBox())?.height ?? 0, 600 - below, 0.5)
        await page.keyboard.press("Escape")
        await page.getByRole("button", { name: "Leave the full screen" }).waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(complaints, [])
    })
  )

  it.effect("shows the app's console and errors beside it, without its URLs", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript(
        { key },
        `document.getElementById("root").textContent = "drawn"
        console.log("hello", { from: ["an", "app"] }); console.debug("deep"); console.info("by the way")
        console.warn("%s is %d", "this", 1); console.error(new TypeError("no slip")); console.assert(1 > 2, "maths")
        new Image().src = "nothing.png"; document.body.append(Object.assign(new Image(), { src: "nothing.png" }))
        Promise.reject(new Error("nobody catches this")); fetch("https://example.com/").catch(() => {})
        for (let n = 0; n < 3; n++) console.log("again")
        setTimeout(() => { throw new RangeError("too late") }, 20)`
      )
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        const lines = page.locator(".console li")
        await lines.filter({ hasText: "too late" }).waitFor()
        await lines.filter({ hasText: "nothing.png could not be loaded" }).waitFor()
        const texts = await lines.evaluateAll((all) =>
          all.map((line) => Array.from(line.children, ({ textContent }) => textContent?.split("\n")[0] ?? "").join("|"))
        )
        for (const line of [
          'Log|hello {from: ["an", "app"]}|',
          "Debug|deep|",
          "Info|by the way|",
          "Warning|this is 1|",
          "Error|TypeError: no slip|",
          "Error|Assertion failed: maths|",
          "Log|again|×3",
          "Error|Uncaught RangeError: too late|",
          "Error|Uncaught (in promise) Error: nobody catches this|",
          "Error|nothing.png could not be loaded.|",
          "Warning|The sandbox refused https://example.com/ (connect-src): an app reaches its own files only.|"
        ]) {
          assert.include(texts, line)
        }
        const whole = await page.locator(".console").innerText()
        assert.include(whole, "at ./index.js:")
        assert.notInclude(whole, "/replay/")
        assert.include(whole, "5 errors")
        // An error of an app that is there is a line, and no reason to take it away.
        await waitForState(page, "Running")
        assert.isTrue(await page.locator("iframe").isVisible())

        await page.getByRole("button", { name: "Clear" }).click()
        await page.getByText("Nothing was written so far").waitFor()
        assert.strictEqual(await lines.count(), 0)
      })
    })
  )

  it.effect("says why a bundle can't run, and shows its recordings instead", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const cases: ReadonlyArray<readonly [bundle: string | Uint8Array<ArrayBuffer>, why: RegExp, fields?: object]> = [
        [hermes, /It is Hermes bytecode.*npx react-native bundle .*npx expo export --platform ios --no-bytecode/s],
        [
          new Uint8Array(gzipSync(hermes)),
          /It is Hermes bytecode/,
          { bundleContentType: "application/gzip", contentHash: sha256(hermes) }
        ],
        ["<!doctype html><title>Not found</title>", /It is HTML or XML/],
        [
          `throw new Error("TurboModuleRegistry.getEnforcing(...): 'PlatformConstants' could not be found.")`,
          /PlatformConstants' could not be found.*at \.\/index\.js/s
        ],
        ["import React from 'react'", /Uncaught SyntaxError: Cannot use import statement/]
      ]
      const previews = yield* Effect.forEach(cases, ([bundle, , fields]) =>
        uploadScript({ key }, bundle, { ...recorded.fields, ...fields }, recorded.content)
      )
      const { page } = yield* openSignedIn({ key }, previews[0]?.url ?? "")
      yield* Effect.promise(async () => {
        for (const [index, [, why]] of cases.entries()) {
          await page.goto(previews[index]?.url ?? "")
          await page.locator(".why", { hasText: why }).waitFor()
          const shown = page.locator(".instead").getByRole("img", { name: "shot.png" })
          await shown.waitFor()
          assert.isAbove(
            await shown.evaluate((image) =>
              image instanceof HTMLImageElement ? image.decode().then(() => image.naturalWidth) : 0
            ),
            0
          )
          assert.isFalse(await page.locator("iframe").isVisible())
        }
        await page.goto(previews[3]?.url ?? "")
        await page.getByText("The app needs native modules, which a browser doesn’t have").waitFor()
        await page.getByRole("link", { name: "All recordings" }).click()
        assert.strictEqual(new URL(page.url()).hash, "#recordings")
      })
    })
  )

  it.effect("without JavaScript is a frame of the device's size, which says itself what can't run", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript({ key }, hermes, { platform: "ios", deviceSpec: { width: 400, height: 800 } })
      const page = yield* openPageWithoutScripts
      yield* Effect.promise(async () => {
        await signInAt(page, preview.url, key)
        const { height, width } = (await page.locator("iframe").boundingBox()) ?? assert.fail("the frame is shown")
        assert.deepStrictEqual([width, height], [400, 800])
        await page.frameLocator("iframe").getByText("It is Hermes bytecode").waitFor()
        for (const part of [".tools", ".console", ".trouble"]) assert.isFalse(await page.locator(part).isVisible())
      })
    })
  )
})

// The replay in the full window, in a real browser: the bar that names its owner stays visible, whatever an app does.

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

// Positions in the console of a replay, named by the source map beside the bundle.

const sourcesAccount = newAccount(["preview_upload"])

const source = `document.querySelector("#root").textContent = "Gate"

const openGate = (): void => {
  throw new Error("The gate is stuck")
}
openGate()
`

/** A script of one line, and its source map. */
const bundled = Effect.promise(async () => {
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: "src/gate.ts", loader: "ts" },
    outfile: "index.js",
    minify: true,
    sourcemap: "external",
    write: false
  })
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ""
  return { script: textOf("index.js"), map: textOf(".map") }
})

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("the console of a bundle with a source map", (it) => {
  it.effect("has the names of its sources, and the positions of the bundle if the map can’t be read", () =>
    Effect.gen(function* () {
      const owner = yield* sourcesAccount
      const { map, script } = yield* bundled
      const upload = (text: string) =>
        uploadScript(
          owner,
          script,
          { files: [{ path: "index.js.map", contentType: "application/json", sizeBytes: bytes(text).byteLength }] },
          { files: [bytes(text)] }
        )
      const [named, broken] = [yield* upload(map), yield* upload('{"version":3,"mappings":')]
      const { page } = yield* openSignedIn(owner, named.url)
      yield* Effect.promise(async () => {
        const error = page.locator(".panel.console .error pre", { hasText: "The gate is stuck" })
        await error.filter({ hasText: "src/gate.ts:4:9" }).waitFor()
        assert.notInclude(await error.textContent(), "index.js:1")

        const warned = page.waitForEvent("console", (message) => message.text().startsWith("No source names"))
        await page.goto(broken.url)
        await warned
        assert.include(await error.textContent(), "./index.js:1:")
      })
    })
  )
})
