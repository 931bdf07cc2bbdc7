/** The inspector of a replay in a real browser: what it shows of apps of a phone and of the web. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { openApp, uploadFixture, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, faultsOf, openSignedIn } from "../testing/chromium.ts"
import { readHar } from "./recordedResponses.ts"

const account = newAccount(["preview_upload"])

const openTab = (page: Page, name: string) => page.getByRole("tab", { name }).click()

/** The value that the details of the selected node have under a name. */
const valueOf = (page: Page, section: string, name: string) =>
  page
    .locator(".node details", { has: page.locator("summary", { hasText: section }) })
    .locator(`dt:text-is("${name}") + dd`)

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("the inspector", (it) => {
  it.effect("shows an element that is pressed, without the app, and its component, props, box and role", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "tour-0.86")
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        assert.strictEqual(await app.frame.locator("script[src*=inspector]").count(), 0)
        await openTab(page, "Inspector")
        const tree = page.getByRole("tree", { name: "Elements" })
        await tree.getByRole("treeitem").first().waitFor()
        await page.getByRole("button", { name: "Pick an element" }).click()
        await app.at("station-device").click()
        await valueOf(page, "Props", "testID").waitFor()
        assert.strictEqual(await valueOf(page, "Props", "testID").textContent(), "station-device")
        assert.strictEqual(await valueOf(page, "Accessibility", "role").textContent(), "button")
        assert.match((await valueOf(page, "Box model", "size").textContent()) ?? "", /^\d+(\.\d+)? × \d+/)
        assert.include(await page.locator(".node .stack").textContent(), "Tour")
        // The press didn't reach the app, and the next one does.
        assert.isTrue(await app.at("station-device").isVisible())
        await app.tap("station-device")
        await app.says("window", "window 390×844 turns 0")
      })
    })
  )

  it.effect("has a tree of what a screen reader finds, which is used by keys and without faults", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "tour-0.86")
      const { page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await openTab(page, "Inspector")
        await page.getByLabel("Tree").selectOption("Accessibility")
        const tree = page.getByRole("tree", { name: "Elements" })
        await tree.getByRole("treeitem", { name: "#station-device" }).waitFor()
        await tree.getByRole("treeitem").first().focus()
        await page.keyboard.press("End")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("Home")
        await page.keyboard.press("ArrowDown")
        await valueOf(page, "Accessibility", "reached").waitFor()
        assert.strictEqual(await valueOf(page, "Accessibility", "reached").textContent(), "yes")
        assert.strictEqual(await tree.locator("[aria-selected=true]").count(), 1)
        assert.deepStrictEqual(await faultsOf(page), [])
      })
    })
  )

  it.effect("lists what an app of the web asks for, and exports it as an archive", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript(
        { key },
        `const root = document.getElementById("root")
        const ask = async () => {
          const own = await (await fetch("tides.json", { headers: { accept: "text/tide" } })).json()
          const request = new XMLHttpRequest()
          request.open("GET", "tides.json")
          await new Promise((done) => { request.onload = done; request.send() })
          await fetch("https://api.example/", { method: "POST", body: "<b>slip</b>" }).catch(() => 0)
          root.textContent = "tide " + own.tide + " " + request.responseText.length
        }
        ask()`,
        { files: [{ path: "tides.json", contentType: "application/json", sizeBytes: 14 }] },
        { files: [bytes(`{"tide":"low"}`)] }
      )
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        await page.frameLocator("iframe").getByText("tide low 14").waitFor()
        await openTab(page, "Network")
        const requests = page.getByRole("list", { name: "Requests" }).getByRole("listitem")
        await requests.nth(2).waitFor()
        assert.match((await requests.nth(0).textContent()) ?? "", /^GET \.\/tides\.json200/)
        assert.match((await requests.nth(1).textContent()) ?? "", /^GET \.\/tides\.json200/)
        assert.match((await requests.nth(2).textContent()) ?? "", /^POST https:\/\/api\.example\/failed/)
        await requests.nth(0).locator("summary").first().click()
        await requests.nth(0).getByText(`{"tide":"low"}`).waitFor()
        await requests.nth(0).getByText("text/tide").waitFor()
        const saved = page.waitForEvent("download")
        await page.getByRole("button", { name: "Export HAR" }).click()
        const download = await saved
        assert.strictEqual(download.suggestedFilename(), "replay.har")
        const text = await readFile((await download.path()) ?? "", "utf8")
        assert.deepStrictEqual(
          readHar(text.replaceAll('"./', '"https://app.example/')).exchanges.map(({ answer, url }) => [
            url,
            answer.body
          ]),
          [
            ["https://app.example/tides.json", `{"tide":"low"}`],
            ["https://app.example/tides.json", `{"tide":"low"}`]
          ]
        )
        assert.include(text, "<b>slip</b>")
      })
    })
  )

  it.effect("lists what a library of a phone stores", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadFixture({ key }, "logbook-0.86")
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await openTab(page, "Storage")
        await page.getByText("The app has stored nothing so far.").waitFor()
        await app.tap("write")
        await page.locator(".stores summary", { hasText: "AsyncStorage" }).waitFor()
        assert.strictEqual(await page.locator(".stores dl").textContent(), "entries1")
        // What the phone itself loads is no request of the app.
        await openTab(page, "Network")
        await page.getByText("The app asked for nothing so far.").waitFor()
        assert.strictEqual(await page.locator(".network li").count(), 0)
        await openTab(page, "Storage")
        await page.getByRole("button", { name: "Reload" }).click()
        await page.getByText("The app has stored nothing so far.").waitFor()
        await waitForState(page, "Running")
      })
    })
  )
})
