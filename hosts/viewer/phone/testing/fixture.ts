import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Account } from "../../../http/testing/uploads.ts"
import { appFrame, uploadScript, waitForState } from "../../testing/app.ts"
import { openSignedIn } from "../../testing/chromium.ts"
import { appIn } from "./App.ts"

const bundles = join(import.meta.dirname, "..", "fixtures", "bundles")

/** The files beside a bundle, as its bundler left them; their names are relative to the bundle. */
const filesIn = (folder: string) =>
  globSync("assets/**/*.*", { cwd: folder }).map((path) => ({
    path,
    contentType: extname(path) === ".png" ? "image/png" : "application/octet-stream",
    bytes: new Uint8Array(readFileSync(join(folder, path)))
  }))

/** A bundle of `fixtures/bundles`, as CI would have it before it is uploaded; `first` is a line before the bundle. */
export const readFixture = (folder: string, first = "") => ({
  bundle: new Uint8Array([
    ...new TextEncoder().encode(first),
    ...gunzipSync(readFileSync(join(folder, "main.jsbundle.gz")))
  ]),
  files: filesIn(folder)
})

/** Uploads a native bundle with its assets as a preview; answers it ready. */
export const uploadFixture = (
  account: Pick<Account, "key">,
  name: string,
  options: { readonly first?: string; readonly fields?: Record<string, unknown>; readonly folder?: string } = {}
) => {
  const { bundle, files } = readFixture(options.folder ?? join(bundles, name), options.first)
  return uploadScript(
    account,
    bundle,
    {
      deviceSpec: { width: 390, height: 844 },
      isTransformed: false,
      entry: "main.jsbundle",
      files: files.map(({ bytes, contentType, path }) => ({ path, contentType, sizeBytes: bytes.byteLength })),
      ...options.fields
    },
    { files: files.map(({ bytes }) => bytes) }
  )
}

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
