/** The pages about the history of tests in a real browser, with no run, one and many: accessibility and screen sizes. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "../../core/testing/layer.ts"
import { embedded } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { Chromium, faultsOf, openPage, openPageWithoutScripts, signInAt } from "./testing/chromium.ts"
import { accountWithRuns, retried } from "./testing/previews.ts"

const long = "w".repeat(180)

layer(Layer.merge(TestHost.layer(embedded()), Chromium.layer))("the history of tests in Chromium", (it) => {
  it.effect("is accessible in light and dark and fits a phone, with no run, one and many", function* () {
    const { call, url } = yield* TestHost
    const scopes = ["builds", "preview_upload", "test_runs"] as const
    const none = yield* newAccount(scopes)
    const one = yield* accountWithRuns(scopes)
    yield* one.ran(1, "Pay", "failed")
    const many = yield* accountWithRuns(scopes)
    const names = ["Pay", `Search \u202eرصيف ${long}`, "🚢 Ferry", "Map"]
    for (let n = 0; n < 32; n++) {
      yield* Effect.forEach(
        names,
        (name, at) =>
          many.ran(n, name, at < 2 && n > 28 ? "failed" : "passed", {
            branch: n === 31 ? `feature/${long}\u202eرصيف` : "main",
            durationMs: 1000 * at + 10 * n,
            file: `e2e/${long}.js`,
            commitMessage: `Pay ${long}\u202eرصيف\n\nby card`,
            author: `${long}\u202e`,
            ...(at < 2 && n > 28 ? { failureMessage: `No element ${long} ${n}` } : {}),
            ...(at === 2 && n % 9 === 3 ? { attempts: retried } : {})
          }),
        { concurrency: 4 }
      )
    }
    const {
      account,
      account: { owner, repo }
    } = many
    yield* call("POST", "/api/v1/sources/github%3A31/imports", {
      key: account.key,
      body: { owner, repo, id: "e2e", job: `${long}\u202eرصيف`, expectedRuns: 9, expectedImports: 2 }
    })
    const { complaints, page } = yield* openPage
    const faults: Record<string, ReadonlyArray<string>> = {}
    const repository = ({ owner, repo }: { readonly owner: string; readonly repo: string }) =>
      `/repositories?${new URLSearchParams({ owner, repo })}`
    const pagesOf = [
      { account: none, runs: "no run", paths: ["/"] },
      { account: one.account, runs: "one run", paths: ["/"] },
      { account: many.account, runs: "many runs", paths: ["/", "/usage"] }
    ]
    for (const { account, paths, runs } of pagesOf) {
      yield* Effect.promise(async () => {
        await page.context().clearCookies()
        await signInAt(page, `${url}/usage`, account.key)
        complaints.length = 0 // Chromium complains about the 401 that the sign-in page is here.
        const tabs = ["", "&tab=tests", "&tab=runs", "&tab=builds", "&tab=tests&tag=smoke"].map(
          (tab) => repository(account) + tab
        )
        await page.goto(url + tabs[1])
        const test = await page.locator("a.name").all()
        const named = await Promise.all(test.slice(0, 2).map((link) => link.getAttribute("href")))
        await page.goto(url + tabs[2])
        const sources = await page.locator('a[href^="/sources?"]').all()
        const ciRuns = await Promise.all(sources.slice(0, 1).map((link) => link.getAttribute("href")))
        for (const path of [...paths, ...tabs, ...named, ...ciRuns]) {
          const answer = await page.goto(`${url}${path}`)
          assert.strictEqual(answer?.status(), 200, `${runs}: ${path}`)
          const found = await faultsOf(page)
          if (found.length > 0) faults[`${runs}: ${path}`] = found
        }
      })
    }
    assert.deepStrictEqual(faults, {})
    assert.deepStrictEqual(complaints, [])
  })

  it.effect(
    "from a repository's page, a broken test is one click from the comparison with its last pass",
    function* () {
      const { url } = yield* TestHost
      const { account, path, ran } = yield* accountWithRuns()
      const pass = yield* ran(1, "Pay")
      const failure = yield* ran(2, "Pay", "failed")
      const page = yield* openPageWithoutScripts
      yield* Effect.promise(async () => {
        await signInAt(page, url + path, account.key)
        await page.getByRole("link", { name: "Compare with the last pass" }).click()
        await page.waitForURL(`${url}/compare?left=${pass.id}&right=${failure.id}`)
        await page.getByRole("heading", { name: "Compare Pay" }).waitFor()
      })
    }
  )

  it.effect("Ctrl-K searches on every page while one types, with the keyboard alone, on a phone too", function* () {
    const { url } = yield* TestHost
    const { account, path, ran } = yield* accountWithRuns()
    yield* ran(1, "Pay by card", "failed")
    const { page } = yield* openPage
    yield* Effect.promise(async () => {
      await signInAt(page, url + path, account.key)
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(url + path)
        await page.keyboard.press("Control+k")
        if (width === 390) await page.waitForURL(`${url}/search`)
        // The browser sets an autofocus only when it draws, which can be after the load event.
        await page.locator('input[name="q"]:focus').waitFor()
        await page.keyboard.type("by card")
        await page.getByRole("status").getByText("1 result").waitFor({ state: "attached" })
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.waitForURL(`${url}/tests/*`)
        await page.getByRole("heading", { name: "Pay by card" }).waitFor()
      }
    })
  })
})
