import { Effect } from "effect"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { type Account, asRow, bytes, finalize, put, reserve, sha256 } from "../../http/testing/uploads.ts"
import { fixtureFile, readFixture } from "../../phone/fixtures/readFixture.ts"
import { appIn } from "../../phone/testing/App.ts"
import { openSignedIn } from "./chromium.ts"
import { type PreviewContent, uploadPreview } from "./previews.ts"

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

/** Uploads one of the fixtures with its assets as a preview, below a line of its own; answers it ready. */
export const uploadFixture = (
  account: Pick<Account, "key">,
  name: string,
  options: {
    readonly first?: string
    readonly fields?: Record<string, unknown>
    readonly recordings?: ReadonlyArray<Uint8Array<ArrayBuffer>>
    /** More files, by their paths. */
    readonly more?: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>
  } = {}
) => {
  const { bundle, files: own } = readFixture(fixtureFile(name))
  const more = Object.entries(options.more ?? {}).map(([path, content]) => ({
    path,
    bytes: typeof content === "string" ? bytes(content) : content,
    contentType: typeof content === "string" ? "text/plain" : "application/octet-stream"
  }))
  const files = [...own, ...more]
  return uploadScript(
    account,
    Uint8Array.from(Buffer.concat([bytes(options.first ?? ""), bundle])),
    {
      deviceSpec: { width: 390, height: 844 },
      isTransformed: false,
      entry: "main.jsbundle",
      files: files.map(({ bytes: { byteLength }, contentType, path }) => ({
        path,
        contentType,
        sizeBytes: byteLength
      })),
      ...options.fields
    },
    { files: files.map((file) => file.bytes), recordings: options.recordings ?? [] }
  )
}

const harbour = readFixture(join(import.meta.dirname, "../../demo/native.zip"))

/** Uploads the demo's app for a phone, changed by `change`. */
export const uploadHarbour = (
  account: Pick<Account, "key">,
  change: (bundle: string) => string = (bundle) => bundle,
  fields: Record<string, unknown> = {},
  recordings: ReadonlyArray<Uint8Array<ArrayBuffer>> = []
) =>
  uploadScript(
    account,
    change(new TextDecoder().decode(harbour.bundle)),
    {
      deviceSpec: { width: 390, height: 844 },
      isTransformed: false,
      entry: "main.jsbundle",
      files: harbour.files.map(({ bytes: { byteLength }, contentType, path }) => ({
        path,
        contentType,
        sizeBytes: byteLength
      })),
      ...fields
    },
    { files: harbour.files.map((file) => new Uint8Array(file.bytes)), recordings: [...recordings] }
  )

/** Opens a preview whose app runs, as large as it is. */
export const openApp = Effect.fnUntraced(function* (account: Pick<Account, "key">, url: string) {
  const opened = yield* openSignedIn(account, url)
  const { page } = opened
  const app = yield* Effect.promise(async () => {
    await page.setViewportSize({ width: 1280, height: 1300 })
    await waitForState(page, "Running")
    return appIn(page, appFrame(page))
  })
  return { ...opened, app }
})
