import { Effect, Schema } from "effect"
import { PreviewMetadata, ReservePreviewResponse } from "../../../core/api/previews/responses.ts"
import { TestRunRecord } from "../../../core/api/testRuns/responses.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { bundle, data, declaredFiles, put, sha256, style, type Account } from "../../http/testing/uploads.ts"

type Bytes = Uint8Array<ArrayBuffer>

/** What a test uploads as a preview. By default a small bundle with two files, and nothing recorded. */
export interface PreviewContent {
  readonly bundle?: Bytes
  readonly files?: ReadonlyArray<Bytes>
  readonly recordings?: ReadonlyArray<Bytes>
}

/** POSTs to the API, expecting 201. */
const create = Effect.fnUntraced(function* <A, I>(
  account: Pick<Account, "key">,
  path: string,
  body: unknown,
  schema: Schema.Codec<A, I>
) {
  const host = yield* TestHost
  const { json, status, text } = yield* host.call("POST", `/api/v1${path}`, { key: account.key, body })
  if (status !== 201) return yield* Effect.die(new Error(`${path} answered ${status}: ${text}`))
  return yield* Schema.decodeUnknownEffect(schema)(json)
})

export const reservePreview = (account: Pick<Account, "key">, fields: Record<string, unknown> = {}) =>
  create(
    account,
    "/previews",
    {
      contentHash: sha256(bundle),
      bundleSizeBytes: bundle.byteLength,
      bundleContentType: "text/javascript",
      files: declaredFiles,
      ...fields
    },
    ReservePreviewResponse
  )

/** Reserves, uploads and finalizes; answers the ready preview. */
export const uploadPreview = Effect.fnUntraced(function* (
  account: Pick<Account, "key">,
  fields: Record<string, unknown> = {},
  content: PreviewContent = {}
) {
  const { slots, token } = yield* reservePreview(account, fields)
  const { files = [style, data], recordings = [] } = content
  const bytes = [content.bundle ?? bundle, ...files, ...recordings]
  yield* Effect.forEach(
    [slots.bundle, ...slots.files, ...slots.recordings],
    (slot, index) => put(slot, bytes[index] ?? new Uint8Array()),
    { concurrency: 16, discard: true }
  )
  return yield* create(account, "/previews/finalize", { token }, PreviewMetadata)
})

export const registerRun = ({ key, owner, repo }: Account, fields: Record<string, unknown>) =>
  create({ key }, "/test-runs", { kind: "maestro", owner, repo, ...fields }, TestRunRecord)
