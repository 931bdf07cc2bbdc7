import { Effect } from "effect"
import type { Page } from "playwright-core"
import { bytes, sha256 } from "../../http/testing/uploads.ts"
import type { Account } from "../../http/testing/uploads.ts"
import { openPage, signInAt } from "./chromium.ts"
import { uploadPreview } from "./previews.ts"
import type { PreviewContent } from "./previews.ts"

/** Uploads a script as a preview; answers it ready. */
export const uploadScript = (
  account: Pick<Account, "key">,
  script: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, unknown> = {},
  content: PreviewContent = {}
) => {
  const bundle = typeof script === "string" ? bytes(script) : script
  return uploadPreview(
    account,
    { contentHash: sha256(bundle), bundleSizeBytes: bundle.byteLength, ...fields },
    { bundle, ...content }
  )
}

/** The page of a preview, opened by who is signed in. */
export const openPreview = Effect.fnUntraced(function* (account: Pick<Account, "key">, url: string) {
  const opened = yield* openPage
  yield* Effect.promise(() => signInAt(opened.page, url, account.key))
  opened.complaints.length = 0 // Chromium complains about the 401 that the sign-in page is here.
  return opened
})

/** The frame in which an app runs. */
export const appFrame = (page: Page) => {
  const frame = page.frames().find((one) => one.parentFrame() !== null)
  if (frame === undefined) throw new Error("the page has no frame")
  return frame
}

/** Waits until the page says so of its app. */
export const waitForState = (page: Page, state: string) => page.locator(".tools .state", { hasText: state }).waitFor()
