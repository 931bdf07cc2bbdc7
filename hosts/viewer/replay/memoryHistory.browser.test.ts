/** `history` in a replay, in a real browser: an app goes back and forth in it, and the tab's own history stays as it was. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { embedded } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { uploadScript } from "../testing/app.ts"
import { Chromium, openSignedIn } from "../testing/chromium.ts"

const account = newAccount(["preview_upload"])

const app = `
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
      const { key } = yield* account
      const preview = yield* uploadScript({ key }, app)
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
