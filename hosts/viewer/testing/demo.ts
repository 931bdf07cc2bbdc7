import { Effect } from "effect"
import { bundleApp, type BundledApp } from "../../demo/bundle.ts"
import { asRow, bytes, commit, finalize, put, reserve, sha256, type Account } from "../../http/testing/uploads.ts"
import { uploadPreview } from "./previews.ts"

const declared = (app: BundledApp) => ({
  commitSha: commit(7),
  contentHash: sha256(app.bundle),
  bundleSizeBytes: app.bundle.byteLength,
  bundleContentType: app.bundleContentType,
  entry: app.entry,
  files: app.files.map(({ bytes, contentType, path }) => ({
    path,
    contentType,
    sizeBytes: bytes.byteLength,
    contentHash: sha256(bytes)
  }))
})

/** Uploads the demo app as a team's CI does; answers the ready row. */
export const uploadDemo = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const app = yield* bundleApp
  const { slots, token } = yield* reserve(account, { ...declared(app), ...fields })
  yield* put(slots.bundle, new Uint8Array(app.bundle))
  yield* Effect.forEach(slots.files, (slot, index) =>
    put(slot, new Uint8Array(app.files[index]?.bytes ?? new Uint8Array()))
  )
  return yield* asRow((yield* finalize(account, token)).json)
})

/** Uploads the demo app as a preview with a screenshot and a log; answers the ready preview. */
export const uploadDemoPreview = Effect.fnUntraced(function* (account: Account) {
  const app = yield* bundleApp
  const screenshot = new Uint8Array(app.files.find(({ contentType }) => contentType === "image/png")?.bytes ?? [])
  const log = bytes("launched\ntapped Settings\nfeet not found\n")
  return yield* uploadPreview(
    account,
    {
      ...declared(app),
      owner: account.owner,
      repo: account.repo,
      branch: "main",
      pr: 7,
      platform: "ios",
      deviceSpec: { width: 390, height: 844 },
      billingKind: "test_run",
      recordings: [
        {
          name: "settings.png",
          kind: "screenshot",
          contentType: "image/png",
          sizeBytes: screenshot.byteLength,
          startedAtMs: 1530
        },
        {
          name: "detox.log",
          kind: "log",
          contentType: "text/plain; charset=utf-8",
          sizeBytes: log.byteLength,
          durationMs: 3912
        }
      ]
    },
    {
      bundle: new Uint8Array(app.bundle),
      files: app.files.map((file) => new Uint8Array(file.bytes)),
      recordings: [screenshot, log]
    }
  )
})
