import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Chromium, openPage } from "../../phone/testing/chromium.ts"

export { Chromium, openPage }

/** A page in which no script runs. */
export const openPageWithoutScripts = Effect.gen(function* () {
  const browser = yield* Chromium
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ javaScriptEnabled: false })),
    (opened) => Effect.promise(() => opened.close())
  )
  return yield* Effect.promise(() => context.newPage())
})

/** Asks for a page, and signs in on the way to it. */
export const signInAt = async (page: Page, url: string, key: string) => {
  await page.goto(url)
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(url)
}

/** As {@link openPage}, and at a URL, by who is signed in. */
export const openSignedIn = Effect.fnUntraced(function* (account: { readonly key: string }, url: string) {
  const opened = yield* openPage
  yield* Effect.promise(() => signInAt(opened.page, url, account.key))
  opened.complaints.length = 0 // Chromium complains about the 401 that the sign-in page is here.
  return opened
})
