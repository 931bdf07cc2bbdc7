import type { Page } from "playwright-core"
import { bytes, sha256 } from "../../http/testing/uploads.ts"
import type { Account } from "../../http/testing/uploads.ts"
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

/** The frame in which an app runs. */
export const appFrame = (page: Page) => {
  const frame = page.frames().find((one) => one.parentFrame() !== null)
  if (frame === undefined) throw new Error("the page has no frame")
  return frame
}

/** Waits until the page says so of its app. */
export const waitForState = (page: Page, state: string) => page.locator(".tools .state", { hasText: state }).waitFor()
