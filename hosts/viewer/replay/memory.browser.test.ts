/** `history` in a replay, in a real browser: an app goes back and forth in it, and the tab's own history stays as it was. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { build } from "esbuild"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { embedded } from "../../http/testing/engines.ts"
import { appFrame, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"

const historyAccount = newAccount(["preview_upload"])

const historyApp = `
  const said = []
  const say = (text) => said.push(text)
  const hash = () => location.hash
  const later = (event) => new Promise((resolve) => addEventListener(event, resolve, { once: true }))
  const use = async () => {
    const start = history.length
    for (let page = 1; page <= 15; page++) history.pushState({ page }, "", "#page" + page)
    history.replaceState({ page: "fifteen" }, "", "#fifteen")
    say("pushed " + (history.length - start) + " " + hash() + " " + history.state.page)
    history.back()
    say("back to " + (await later("popstate")).state.page + " " + hash())
    history.forward()
    say("forward to " + (await later("popstate")).state.page + " " + hash())
    const changed = new Promise((resolve) =>
      addEventListener("hashchange", (event) => event.newURL.endsWith("#linked0") && resolve(event))
    )
    const link = document.createElement("a")
    link.href = "#linked"
    document.body.append(link)
    for (let n = 0; n < 15; n++) { link.href = "#linked" + n; link.click() }
    say("linked " + hash() + " " + (history.length - start))
    say("from " + new URL((await changed).oldURL).hash)
    history.go(-2)
    await later("popstate")
    say("went to " + hash())
    history.go(-1000)
    history.back()
    await later("popstate")
    say("stayed at " + hash())
  }
  // Before that, browsers make no entries of what a script navigates to.
  addEventListener("load", () => setTimeout(() => use().catch((error) => say("failed: " + error)).then(() => (document.getElementById("root").textContent = said.join(", ")))))
`

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("history in a replay", (it) => {
  it.effect("is the app's own: the tab has no further entry, and its Back leaves the page", () =>
    Effect.gen(function* () {
      const { key } = yield* historyAccount
      const preview = yield* uploadScript({ key }, historyApp)
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        // Opened again, so that the page before it is the one to go back to.
        await page.goto(new URL("/sign-in", preview.url).href)
        await page.goto(preview.url)
        const before = await page.evaluate(() => history.length)
        const root = page.frameLocator("iframe").locator("#root")
        await root.filter({ hasText: /stayed|failed/ }).waitFor()
        assert.deepStrictEqual((await root.textContent())?.split(", "), [
          "pushed 15 #fifteen fifteen",
          "back to 14 #page14",
          "forward to fifteen #fifteen",
          "linked #linked14 30",
          "from #fifteen",
          "went to #linked12",
          "stayed at #linked11"
        ])
        assert.strictEqual(await page.evaluate(() => history.length), before)
        await page.goBack()
        assert.strictEqual(new URL(page.url()).pathname, "/sign-in")
      })
    })
  )
})

// IndexedDB in a replay, used through `idb` as apps use it, in a real browser.

const account = newAccount(["preview_upload"])

const app = `
  import { openDB } from "idb"
  const say = (text) => (document.getElementById("root").textContent = text)
  const upgrade = (db, old, next) => {
    if (old < 1) db.createObjectStore("boats", { keyPath: "name" }).createIndex("byLength", "length")
    if (next > 1) db.createObjectStore("slips", { autoIncrement: true })
  }
  const use = async () => {
    const first = await openDB("harbour", 1, { upgrade })
    const seen = await first.count("boats")
    await first.put("boats", { name: "Ann", length: 12, sails: new Map([["main", new Uint8Array([7])]]) })
    await first.put("boats", { name: "Tern", length: 7 })
    first.close()
    const db = await openDB("harbour", 2, { upgrade })
    const slip = await db.add("slips", "first")
    const long = await db.getAllFromIndex("boats", "byLength", IDBKeyRange.lowerBound(8))
    const undone = db.transaction("boats", "readwrite")
    undone.store.delete("Ann").catch(() => {})
    undone.abort()
    await undone.done.catch((error) => error.name)
    const twice = await db.add("boats", { name: "Ann" }).catch((error) => error.name)
    const names = []
    for await (const { key } of db.transaction("boats").store) names.push(key)
    say([seen, slip, long.length, long[0].sails.get("main")[0], twice, names.join("+"), db.version].join(", "))
  }
  use().catch((error) => say("failed: " + error))
`

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("IndexedDB in a replay", (it) => {
  it.effect("lasts as long as the page", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const { outputFiles } = yield* Effect.promise(() =>
        build({ stdin: { contents: app, resolveDir: import.meta.dirname }, bundle: true, write: false })
      )
      const preview = yield* uploadScript({ key }, outputFiles[0]?.text ?? "")
      const { page } = yield* openSignedIn({ key }, preview.url)
      yield* Effect.promise(async () => {
        const said = "0, 1, 1, 7, ConstraintError, Ann+Tern, 2"
        const root = page.frameLocator("iframe").locator("html:not([lang=old]) #root")
        await root.filter({ hasText: /\w/ }).waitFor()
        assert.strictEqual(await root.textContent(), said)
        await appFrame(page).evaluate(() => (document.documentElement.lang = "old"))
        await page.getByRole("button", { name: "Reload" }).click()
        await root.filter({ hasText: said }).waitFor()
        assert.deepStrictEqual(await page.evaluate(() => indexedDB.databases()), [])
      })
    })
  )

  it.effect("is loaded where an app asks for it, and nowhere else", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const draws = `document.getElementById("root").textContent = `
      const preview = yield* uploadScript({ key }, `${draws} "indexedDB" in window`)
      const { page } = yield* openSignedIn({ key }, preview.url)
      const own = yield* uploadScript({ key }, `window.indexedDB = "mine"; ${draws} indexedDB`)
      const asks = yield* uploadScript({ key }, `${draws} typeof indexedDB`)
      yield* Effect.promise(async () => {
        const asked: Array<string> = []
        page.on("request", (request) => {
          if (request.url().includes("?memoryDatabase")) asked.push(request.method())
        })
        const cases: ReadonlyArray<readonly [{ readonly url: string }, drawn: string, requests: Array<string>]> = [
          [preview, "true", []],
          [own, "mine", []],
          [asks, "object", ["GET"]]
        ]
        for (const [{ url }, drawn, requests] of cases) {
          await page.goto(url)
          await page.frameLocator("iframe").locator("#root").filter({ hasText: drawn }).waitFor()
          await waitForState(page, "Running")
          assert.deepStrictEqual(asked, requests)
        }
      })
    })
  )
})
