/** Every kind of page in a real browser: its facts in the document as it is sent, accessibility and screen sizes. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { layer } from "../../core/testing/layer.ts"
import { embedded } from "../http/testing/engines.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { bundle, commit, finalize, put, reserve } from "../http/testing/uploads.ts"
import { Chromium, faultsOf } from "./testing/chromium.ts"
import { branch, Harbour, kindsOf, openAll, openAs } from "./testing/harbour.ts"
import { reservePreview } from "./testing/previews.ts"
import { unescaped } from "./testing/visit.ts"

/** The text of a page as it was sent. */
const textOf = (html: string): string => {
  const inline = html.replaceAll(/<style\b[^>]*>[^]*?<\/style>|<\/?(?:bdi|span)\b[^>]*>/g, "")
  return unescaped(inline.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "))
}

const engines = embedded()
const everything = Layer.provideMerge(Harbour.layer, Layer.merge(TestHost.layer(engines), Chromium.layer))

layer(everything)("pages in Chromium", (it) => {
  it.effect(
    "every page has its facts, is accessible in light and dark, fits a phone, and contacts only its host",
    function* () {
      const harbour = yield* Harbour
      const pages = yield* openAll({ javaScriptEnabled: true })
      yield* Effect.promise(async () => {
        const faults: Record<string, ReadonlyArray<string>> = {}
        const note = async (kind: string, page: Page) => {
          const found = await faultsOf(page)
          if (found.length > 0) faults[kind] = found
        }
        for (const [kind, { facts, path, status, who }] of Object.entries(kindsOf(harbour))) {
          const { page } = pages[who]
          const answer = await page.goto(harbour.host.url + path)
          assert.strictEqual(answer?.status(), status, kind)
          const text = textOf((await answer?.text()) ?? "")
          for (const fact of facts) assert.include(text, fact, kind)
          await note(kind, page)
        }
        const { page } = pages.owner
        await page.goto(`${harbour.host.url}/previews/${harbour.preview.shareId}/shares`)
        await page.getByRole("button", { name: "Make a link" }).click()
        await page.getByRole("img", { name: "The link as a QR code" }).waitFor()
        await note("a link that was just made", page)
        await page.goto(harbour.failed.traceUrl)
        await page.keyboard.press("?")
        await page.getByRole("dialog", { name: "Keys" }).waitFor()
        await note("the keys of a run", page)
        assert.deepStrictEqual(faults, {})
      })
      for (const { asked } of Object.values(pages)) {
        assert.isNotEmpty(asked)
        assert.deepStrictEqual(
          asked.filter((url) => !url.startsWith(`${harbour.host.url}/`) && !/^(?:blob|data):/.test(url)),
          []
        )
      }
    }
  )

  it.effect(
    "a screen reader finds the headings, landmarks and live regions of a run and of a comparison",
    function* () {
      const { failed, host, passed } = yield* Harbour
      const { page } = yield* openAs("owner", { javaScriptEnabled: true })
      const outlineOf = async (url: string, ...loadedLater: ReadonlyArray<string>) => {
        await page.goto(url)
        await page.locator(".transport:not([hidden])").waitFor()
        for (const name of loadedLater) await page.getByRole("heading", { name, exact: true }).waitFor()
        const snapshot = await page.locator("body").ariaSnapshot()
        return Array.from(
          snapshot.matchAll(/^ *- '?((?:banner|main|navigation|search|region|heading|status|alert|log)\b[^\n:]*)/gm),
          ([, line = ""]) => line.replaceAll(/w{20,}\S*/g, "…").trim()
        )
      }
      yield* Effect.promise(async () => {
        assert.deepStrictEqual(await outlineOf(failed.traceUrl, "Events 36", "Log 25"), [
          "banner",
          'navigation "Where this is"',
          'search "Everything"',
          "status",
          "main",
          'heading "Shows feet" [level=1]',
          'navigation "Runs of this name"',
          "status",
          'region "Failure"',
          'heading "Failure" [level=2]',
          'region "Steps 7"',
          'heading "Steps 7" [level=2]',
          'region "Recording"',
          'heading "Recording" [level=2]',
          'region "Events 36"',
          'heading "Events 36" [level=2]',
          'region "Log 25"',
          'heading "Log 25" [level=2]',
          'region "Facts"',
          'heading "Facts" [level=2]',
          'region "Recordings 6"',
          'heading "Recordings 6" [level=2]'
        ])
        assert.deepStrictEqual(await outlineOf(`${host.url}/compare?left=${passed.id}&right=${failed.id}`), [
          "banner",
          'navigation "Where this is"',
          'search "Everything"',
          "status",
          "main",
          'heading "Compare Shows feet" [level=1]',
          'region "Failure message"',
          'heading "Failure message" [level=2]',
          "status",
          "status",
          'region "Pass"',
          'heading "Pass" [level=2]',
          'region "Failure"',
          'heading "Failure" [level=2]',
          'region "Steps 7"',
          'heading "Steps 7" [level=2]',
          'region "Facts"',
          'heading "Facts" [level=2]'
        ])
      })
    }
  )

  it.effect("a chosen theme is that of the next page too, from its first byte", function* () {
    const { host } = yield* Harbour
    const { page } = yield* openAs("owner", { javaScriptEnabled: true })
    const isDark = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === "dark")
    yield* Effect.promise(async () => {
      await page.goto(host.url)
      await page.getByText("Menu", { exact: true }).click()
      assert.isFalse(await isDark())
      await page.getByLabel("Theme").selectOption("dark")
      assert.isTrue(await isDark())
      const answer = await page.goto(`${host.url}/usage`)
      assert.include((await answer?.text()) ?? "", '<style id="dark" media="all">')
      assert.isTrue(await isDark())
    })
  })

  it.effect("the pages of uploads turn ready by themselves, with scripts and without", function* () {
    const { account, host } = yield* Harbour
    const build = yield* reserve(account, { branch, commitSha: commit(4) })
    const preview = yield* reservePreview(account, { files: [] })
    const paths = [`/builds/${build.id}`, `/previews/${preview.shareId}`]
    const shown = yield* Effect.forEach([true, false], (javaScriptEnabled) =>
      Effect.forEach(paths, (path) =>
        Effect.map(openAs("owner", { javaScriptEnabled }), ({ page }) => ({ page, path }))
      )
    )
    yield* Effect.forEach(shown.flat(), ({ page, path }) =>
      Effect.promise(async () => {
        await page.goto(host.url + path)
        await page.getByRole("status").getByText("The upload is under way").waitFor()
      })
    )
    yield* Effect.forEach([build.slots.bundle, preview.slots.bundle], (slot) => put(slot, bundle))
    yield* finalize(account, build.token)
    yield* host.call("POST", "/api/v1/previews/finalize", { key: account.key, body: { token: preview.token } })
    yield* Effect.forEach(
      shown.flat(),
      ({ page }) => Effect.promise(() => page.locator('iframe[title$=" running"]').waitFor()),
      { concurrency: "unbounded" }
    )
  })
})
