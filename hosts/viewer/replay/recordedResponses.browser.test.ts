/** Apps whose previews have HTTP archives among their recordings, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { type Account, bytes } from "../../http/testing/uploads.ts"
import { appFrame, openApp, uploadFixture, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn, outside } from "../testing/chromium.ts"

const account = newAccount(["preview_upload"])

const entry = (
  method: string,
  url: string,
  answer: { readonly status?: number; readonly text: string },
  body?: string
) => ({
  request: { method, url, ...(body === undefined ? {} : { postData: { mimeType: "application/json", text: body } }) },
  response: {
    status: answer.status ?? 200,
    statusText: "Recorded",
    headers: [
      { name: "content-type", value: "application/json" },
      { name: "x-tide", value: "low" }
    ],
    content: { mimeType: "application/json", text: answer.text }
  }
})

const archive = bytes(
  JSON.stringify({
    log: {
      entries: [
        entry("GET", "https://api.example/tides", { text: `{"tide":"low"}` }),
        entry("GET", "https://api.example/tides", { text: `{"tide":"high"}` }),
        entry("POST", "https://api.example/slips", { status: 409, text: `"taken"` }, `{"slip":"A"}`),
        entry("GET", "http://localhost:8081/api/own", { text: `"own"` }),
        {
          request: { method: "GET", url: "https://api.example/old" },
          response: { status: 301, headers: [{ name: "Location", value: "/tides" }] }
        }
      ]
    }
  })
)

/** The fields and contents of a preview with these recordings. */
const recordings = (...recorded: ReadonlyArray<readonly [name: string, content: Uint8Array<ArrayBuffer>]>) => ({
  fields: {
    recordings: recorded.map(([name, { byteLength }]) => ({
      name,
      kind: "other",
      contentType: "application/json",
      sizeBytes: byteLength
    }))
  },
  content: { recordings: recorded.map(([, content]) => content) }
})

/** Runs a script that says line by line what it is answered; answers those lines, and those of the console. */
const saidBy = Effect.fnUntraced(function* (
  { key }: Pick<Account, "key">,
  script: string,
  recorded: ReturnType<typeof recordings>
) {
  const preview = yield* uploadScript(
    { key },
    `const root = document.getElementById("root")
     const said = []
     const asked = async (url, init) => {
       try {
         const answer = await fetch(url, init)
         return answer.status + " " + answer.headers.get("x-tide") + " " + (await answer.text())
       } catch (error) { return "refused" }
     }
     const byXhr = (method, url, body) => new Promise((resolve) => {
       const request = new XMLHttpRequest()
       request.open(method, url)
       request.responseType = "json"
       request.onload = () => resolve(request.status + " " + request.getResponseHeader("X-Tide") + " " + JSON.stringify(request.response))
       request.onerror = () => resolve("refused")
       request.send(body)
     })
     const run = async () => { ${script} }
     run().catch((error) => said.push(String(error))).then(() => {
       root.innerText = said.join("\\n")
       root.title = "done"
     })`,
    { ...recorded.fields, files: [{ path: "own.json", sizeBytes: 3, contentType: "application/json" }] },
    { ...recorded.content, files: [bytes("[7]")] }
  )
  const { page } = yield* openSignedIn({ key }, preview.url)
  return yield* Effect.promise(async () => {
    const root = page.frameLocator("iframe").locator("#root[title=done]")
    await root.waitFor()
    const lines = (await root.innerText()).split("\n")
    const entries = page.locator(".console li")
    return { lines, entries }
  })
})

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("recorded answers", (it) => {
  it.effect("answer an app's requests to its API, and the console lists each", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { reached, url } = yield* outside
      const { lines, entries } = yield* saidBy(
        { key },
        `said.push(await asked("https://api.example/tides"))
         said.push(await byXhr("GET", "https://api.example/tides"))
         said.push(await asked("https://api.example/tides"))
         said.push(await asked("https://api.example/old"))
         said.push(await byXhr("POST", "https://api.example/slips", '{"slip":"A"}'))
         said.push(await byXhr("POST", "https://api.example/slips", '{"slip":"B"}'))
         said.push(await asked("/api/own"))
         said.push(await asked("https://api.example/boats"))
         said.push(await asked("${url}fetched"))
         said.push(await byXhr("GET", "${url}requested"))
         said.push(await asked("own.json"))
         said.push(await byXhr("GET", "./own.json"))`,
        recordings(["api.har", archive])
      )
      assert.deepStrictEqual(lines, [
        `200 low {"tide":"low"}`,
        `200 low {"tide":"high"}`,
        `200 low {"tide":"high"}`,
        `200 low {"tide":"high"}`,
        `409 low "taken"`,
        "refused",
        `200 low "own"`,
        "refused",
        "refused",
        "refused",
        "200 null [7]",
        "200 null [7]"
      ])
      assert.deepStrictEqual(reached, [])
      yield* Effect.promise(async () => {
        for (const line of [
          "api.har answers what the app asks of its API: 5 requests were recorded.",
          "Answered as recorded: GET https://api.example/tides (200, 1 of 2)",
          "Answered as recorded: POST https://api.example/slips (409)",
          "Nothing answers POST https://api.example/slips: it was recorded with another body only.",
          "Nothing answers GET https://api.example/boats: it was not recorded.",
          "The sandbox refused https://api.example/boats (connect-src)"
        ]) {
          await entries.filter({ hasText: line }).first().waitFor()
        }
      })
    })
  )

  it.effect("of a broken archive don't exist, which the console says; other archives answer", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { lines, entries } = yield* saidBy(
        { key },
        `said.push(await asked("https://api.example/tides"), await asked("https://api.example/boats"))`,
        recordings(["cut.HAR", archive.slice(0, 100)], ["notes.txt", bytes("no archive")], ["api.har", archive])
      )
      assert.deepStrictEqual(lines, [`200 low {"tide":"low"}`, "refused"])
      yield* Effect.promise(() =>
        entries.filter({ hasText: /cut\.HAR can’t be read, so it answers nothing\. SyntaxError/ }).waitFor()
      )
    })
  )

  it.effect("are none where nothing was recorded: it is refused as ever, and no script for it is loaded", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { lines, entries } = yield* saidBy(
        { key },
        `said.push(await asked("https://api.example/tides"), XMLHttpRequest.toString().includes("native code"),
           document.querySelector("script[src*=recordedResponses]") === null)`,
        recordings(["notes.txt", bytes("no archive")])
      )
      assert.deepStrictEqual(lines, ["refused", "true", "true"])
      yield* Effect.promise(() =>
        entries.filter({ hasText: "The sandbox refused https://api.example/tides" }).waitFor()
      )
    })
  )

  it.effect("arrive after the delay of a slow network, and not without a network", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { content, fields } = recordings(["api.har", archive])
      const preview = yield* uploadScript(
        { key },
        `let arrive
         const wait = window.setTimeout.bind(window)
         window.setTimeout = (call, delay, ...more) => delay >= 600 ? (arrive = call, 0) : wait(call, delay, ...more)
         const show = (text) => { document.getElementById("root").title = text }
         self.ask = () => {
           show("asked")
           fetch("https://api.example/tides").then(() => show("answered"), () => show("refused"))
         }
         self.isDelayed = () => arrive !== undefined
         self.arrive = () => arrive()
         document.getElementById("root").textContent = "ready"`,
        fields,
        content
      )
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        /** Runs the app on such a network, from the beginning: so it has the setting before its first request. */
        const on = async (network: string) => {
          await page.locator(".setup summary").click()
          await page.getByRole("combobox", { name: "Network" }).selectOption(network)
          await page.getByRole("button", { name: "Reload" }).click()
          await page.frameLocator(".device iframe").getByText("ready").waitFor()
          const frame = appFrame(page)
          const call = (name: string) => frame.evaluate((method) => Reflect.get(self, method)(), name)
          await call("ask")
          return { call, frame, root: (title: string) => frame.locator(`#root[title=${title}]`) }
        }
        await waitForState(page, "Running")
        const slow = await on("Slow")
        await slow.frame.waitForFunction(() => Reflect.get(self, "isDelayed")())
        assert.strictEqual(await slow.root("asked").count(), 1)
        await slow.call("arrive")
        await slow.root("answered").waitFor({ state: "attached" })
        const offline = await on("Offline")
        await offline.root("refused").waitFor({ state: "attached" })
      })
    })
  )

  it.effect("are given to a phone's own bundle too", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { content, fields } = recordings(["api.har", archive])
      const preview = yield* uploadFixture({ key }, "tour-0.86", { fields, recordings: content.recordings })
      const { app, page } = yield* openApp({ key }, preview.url)
      yield* Effect.promise(async () => {
        await app.tap("station-runtime")
        await app.tap("fetch")
        await app.says("net", `fetched ${`{"tide":"low"}`.length}`)
        await app.tap("fetch")
        await app.says("net", `fetched ${`{"tide":"high"}`.length}`)
        await page
          .locator(".console li", { hasText: "Answered as recorded: GET https://api.example/tides (200, 2 of 2)" })
          .waitFor()
      })
    })
  )
})
