import { Effect } from "effect"
import { bundleApp } from "../../demo/bundle.ts"
import { asRow, commit, finalize, put, reserve, sha256 } from "../../http/testing/uploads.ts"
import type { Account } from "../../http/testing/uploads.ts"

/** Uploads the demo app as a team's CI does; answers the ready row. */
export const uploadDemo = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const app = yield* bundleApp
  const { slots, token } = yield* reserve(account, {
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
    })),
    ...fields
  })
  yield* put(slots.bundle, new Uint8Array(app.bundle))
  yield* Effect.forEach(slots.files, (slot, index) =>
    put(slot, new Uint8Array(app.files[index]?.bytes ?? new Uint8Array()))
  )
  return yield* asRow((yield* finalize(account, token)).json)
})
