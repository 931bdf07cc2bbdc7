/** IndexedDB in a replay, used through `idb` as apps use it, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { build } from "esbuild"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { appFrame, uploadScript, waitForState } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"

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
