/** Messages that a hostile upload posts to the viewer's page, in a real browser: they are shown as text, and a flood stops the upload. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { commit } from "../../http/testing/uploads.ts"
import { appFrame, waitForState } from "../testing/app.ts"
import { openPage, openSignedIn } from "../testing/chromium.ts"
import {
  account,
  assertUsable,
  assertUsableByHand,
  Browser,
  engines,
  hostileBundles,
  stolenPort,
  watch
} from "../testing/hostileBundles.ts"

const flooded = "It posted more messages than a page can read"
for (const { kind, uploadScript, buildScript } of hostileBundles) {
  layer(Layer.merge(TestHost.layer(engines), Browser))(kind, (it) => {
    it.effect("that posts arbitrary messages is shown as text, and stopped if they are a flood", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const text = `</pre><img src=x onerror=alert(1)><script>alert(1)</script>\u202egnp.exe`
        const forged = `{ kind: "line", level: "error", isThrown: true, text: ${JSON.stringify(text)} + n }`
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const odd = [null, 1, "x", { kind: "line" }, [], new Map(), new Date(), { kind: "line", level: {}, text: {} }]
        console.log("%s", ${JSON.stringify(text)}, { toJSON() { throw 1 }, get x() { throw 1 } })
        const post = () => {
          if (port === undefined) return setTimeout(post, 20)
          for (const one of odd) port.postMessage(one)
          for (let n = 1; n <= 3; n++) port.postMessage(${forged})
        }
        post()
        addEventListener("click", () => {
          const { port1, port2 } = new MessageChannel()
          let n = 10
          port1.onmessage = () => {
            for (let i = 0; i < 500; i++, n++) {
              port.postMessage(${forged})
              parent.postMessage(${forged}, "*")
              top.postMessage(${forged}, "*")
            }
            port2.postMessage(0)
          }
          port2.postMessage(0)
        })`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        const seen = watch(page)
        yield* Effect.promise(async () => {
          const lines = page.locator(".console li pre")
          await lines.nth(3).waitFor()
          const texts = await lines.allTextContents()
          for (const line of [`${text}1`, `${text}2`, `${text}3`, `${text} {toJSON: ƒ toJSON(), x: Symbol(getter)}`]) {
            assert.include(texts, line)
          }
          assert.strictEqual(await page.locator(".console li :not(span, pre)").count(), 0)

          await page.frameLocator("iframe").locator("body").click()
          await page.getByText(flooded).waitFor()
          await waitForState(page, "Stopped")
          assert.strictEqual(await page.locator("iframe").count(), 0)
          assert.isAtMost(await lines.count(), 200)
          await assertUsable(page)

          await page.getByRole("button", { name: "Reload" }).click()
          await waitForState(page, "Running")
          assert.deepStrictEqual(seen, [])
        })
      })
    )

    it.effect("that posts a crash, or names what is missing, is shown as text", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const text = `<img src=x onerror=alert(1)><b>bold</b>`
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const post = () => {
          if (port === undefined) return setTimeout(post, 20)
          port.postMessage({ kind: "missing", what: ${JSON.stringify(text)}, name: ${JSON.stringify(text)} })
          port.postMessage({ kind: "crashed", text: ${JSON.stringify(text)} })
        }
        post()`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        const seen = watch(page)
        yield* Effect.promise(async () => {
          await waitForState(page, "Crashed")
          assert.strictEqual(await page.locator(".why").textContent(), text)
          assert.strictEqual(await page.locator(".panel.missing li").textContent(), `${text} ${text}`)
          assert.strictEqual(await page.locator(".why *, .panel.missing li :not(code)").count(), 0)
          assert.deepStrictEqual(seen, [])
        })
      })
    )

    it.effect("that lies about itself to the inspector shows texts only, and nothing that it wasn't asked for", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const text = `<img src=x onerror=alert(1)>`
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const text = ${JSON.stringify(text)}
        const about = { kind: "inspected", sections: [{ title: text, rows: [[text, text]] }], path: [1], text }
        let id = 0
        const items = () => Array.from({ length: 1000 }, () => ({ id: ++id, name: text, detail: text, hasChildren: true }))
        document.addEventListener("replay-inspector", (event) => {
          event.stopImmediatePropagation()
          const { ask, id, turn } = event.detail
          port.postMessage({ ...about, of: ask, id, turn, items: items() })
        }, true)
        setInterval(() => {
          for (const of of ["children", "details", "picked", "archive"]) port?.postMessage({ ...about, of, id: 1, turn: 1, items: items() })
        }, 50)`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        const seen = watch(page)
        yield* Effect.promise(async () => {
          await page.getByRole("tab", { name: "Inspector" }).click()
          const nodes = page.getByRole("tree").getByRole("treeitem")
          await nodes.nth(199).waitFor()
          await nodes.nth(0).click()
          await page.locator(".node dd", { hasText: text }).waitFor()
          await page.getByRole("tab", { name: "Network" }).click()
          await page.getByRole("listitem").filter({ hasText: text }).nth(199).waitFor()
          await page.getByRole("tab", { name: "Storage" }).click()
          await page.locator(".stores dd", { hasText: text }).waitFor()
          assert.strictEqual(await page.locator(".panels img").count(), 0)
          assert.isBelow(await page.locator(".panels li").count(), 5500)
          assert.deepStrictEqual(seen, [])
          await assertUsable(page)
        })
      })
    )

    it.effect("that posts few but huge messages doesn't block the page, and is stopped too", () =>
      Effect.gen(function* () {
        const { key } = yield* account
        const preview = yield* uploadScript(
          { key },
          `${stolenPort}
        document.body.append("here")
        const huge = Array.from({ length: 200_000 }, () => [])
        setInterval(() => port?.postMessage(huge), 20)
        setInterval(() => parent.postMessage(huge, "*"), 1000)`
        )
        const { page } = yield* openSignedIn({ key }, preview.url)
        yield* Effect.promise(async () => {
          await assertUsable(page)
          await page.getByText(flooded).waitFor()
          await assertUsable(page)
        })
      })
    )

    it.effect(
      "that floods the windows around it with messages is stopped, whatever it posts and wherever it is shown",
      () =>
        Effect.gen(function* () {
          const account = yield* newAccount(["builds", "preview_upload"])
          /** Posts as fast as it can, and lets its own window live: what is posted in one go is only sent when that is over. */
          const storm = (posting: string) => `const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => { for (let n = 0; n < 500; n++) { ${posting} } port2.postMessage(0) }
        addEventListener("load", () => port2.postMessage(0))`
          const module = "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))"
          const storms = [
            `parent.postMessage("x", "*")`,
            `top.postMessage({ kind: "line" }, "*")`,
            `top.postMessage("x".repeat(100_000), "*")`,
            // A message that another process can't deserialize.
            `top.postMessage(self.module ??= ${module}, "*")`
          ]
          const builds = yield* Effect.forEach(storms, (posting, index) =>
            buildScript(account, storm(posting), { commitSha: commit(index) })
          )
          const { page } = yield* openSignedIn(account, builds[0]?.url ?? "")
          yield* Effect.promise(async () => {
            for (const [index, row] of builds.entries()) {
              await page.goto(row.url)
              await page.getByText(flooded).waitFor()
              await waitForState(page, "Stopped")
              assert.strictEqual(await page.locator("iframe").count(), 0, storms[index])
              await assertUsable(page)

              await page.goto(row.previewUrl ?? "")
              await page.getByText(flooded).waitFor()
              assert.strictEqual(await page.locator("iframe").count(), 0, storms[index])
              await page.getByRole("link", { name: "Back to the build" }).click()
              await page.waitForURL(row.url)
            }
          })
        })
    )
  })
}

// Hostile uploads that take focus, processor time and memory, in a real browser: the viewer's page keeps working.

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
