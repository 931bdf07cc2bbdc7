import type { Page } from "playwright-core"
import { Effect } from "effect"
import { asRow, bytes, finalize, put, reserve, sha256, type Account } from "../../http/testing/uploads.ts"
import { uploadPreview, type PreviewContent } from "./previews.ts"

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

/** Uploads a script as a build; answers its row, ready. */
export const buildScript = Effect.fnUntraced(function* (
  account: Account,
  script: string,
  fields: Record<string, unknown> = {}
) {
  const bundle = bytes(script)
  const { slots, token } = yield* reserve(account, {
    contentHash: sha256(bundle),
    bundleSizeBytes: bundle.byteLength,
    ...fields
  })
  yield* put(slots.bundle, bundle)
  return yield* asRow((yield* finalize(account, token)).json)
})

/** The frame in which an app runs. */
export const appFrame = (page: Page) => {
  const frame = page.frames().find((one) => one.parentFrame() !== null)
  if (frame === undefined) throw new Error("the page has no frame")
  return frame
}

/** Waits until the page shows this of its app. */
export const waitForState = (page: Page, state: string) => page.locator(".tools .state", { hasText: state }).waitFor()
