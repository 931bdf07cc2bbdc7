import { Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { PreviewMetadata, ReservePreviewResponse } from "../../../core/api/previews.ts"
import { TestRunRecord } from "../../../core/api/testRuns.ts"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { finalizePreview, putFull, registered, reserveFull } from "../../http/testing/previews.ts"
import {
  type Account,
  bundle,
  bytes,
  commit,
  data,
  declaredFiles,
  put,
  readyBuild,
  sha256,
  style
} from "../../http/testing/uploads.ts"
import { signIn } from "./visit.ts"

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

export const film = bytes("0123456789abcdef")
export const log = bytes("<script>alert(1)</script>\n")

export const recordings = [
  {
    name: "film 🎬.mp4",
    kind: "video",
    sizeBytes: film.byteLength,
    contentType: "video/mp4",
    contentHash: sha256(film),
    startedAtMs: 250,
    durationMs: 65_000
  },
  { name: "page.html", kind: "log", sizeBytes: log.byteLength, contentType: "text/html" }
]

export const previewAccount = newAccount(["builds", "preview_upload", "test_runs"])

/** A ready preview with two files and two recordings, and the session cookie of its account. */
export const hostedPreview = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const preview = yield* uploadPreview(account, { recordings, ...fields }, { recordings: [film, log] })
  return { preview, path: `/previews/${preview.shareId}`, cookie: yield* signIn(account.key) }
})

export const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** The scopes of a key that may do everything but delete. */
export const everyday = ["builds", "preview_upload", "test_runs"] as const

/** A build, a preview with recordings and a run of a new account, the paths of their pages, and who may do what. */
export const oneOfEach = Effect.gen(function* () {
  const { admin, url } = yield* TestHost
  const account = yield* newAccount([...everyday, "delete"])
  const { row } = yield* readyBuild(account, { branch: "main & <all>" })
  const preview = yield* reserveFull(account)
  yield* putFull(preview)
  yield* finalizePreview(account, preview.token)
  const run = yield* registered(account, preview.shareId, { name: "Checkout & <pay>" })
  const cookieWith = (...scopes: readonly [Scope, ...ReadonlyArray<Scope>]) =>
    Effect.flatMap(admin.createKey({ account: account.name, name: "other", scopes }), ({ key }) => signIn(key))
  return {
    account,
    cookie: yield* signIn(account.key),
    cookieWith,
    headers: { origin: url },
    shareId: preview.shareId,
    row,
    run,
    build: `/builds/${row.id}`,
    preview: `/previews/${preview.shareId}`,
    runPage: `/runs/${run.id}`
  }
})

/**
 * A new account, and a function that registers a run of it on a later day than the last: `ran(4, "Pay", "failed")` is of commit 4 and of the
 * CI run `github:4` on `main`, and so many hours after the first.
 */
export const accountWithRuns = Effect.fnUntraced(function* (
  scopes: readonly [Scope, ...ReadonlyArray<Scope>] = ["preview_upload", "test_runs"]
) {
  yield* TestClock.adjust("30 days")
  const account = yield* newAccount(scopes)
  const { owner, repo } = account
  const { shareId } = yield* uploadPreview(account, { owner, repo })
  const now = yield* Clock.currentTimeMillis
  const ran = (n: number, name: string, status: "passed" | "failed" = "passed", fields: Record<string, unknown> = {}) =>
    registerRun(account, {
      previewShareId: shareId,
      name,
      status,
      branch: "main",
      commitSha: commit(n),
      source: `github:${n}`,
      startedAt: new Date(now - 48 * 3_600_000 + n * 3_600_000).toISOString(),
      ...fields
    })
  return {
    account,
    cookie: yield* signIn(account.key),
    path: `/repositories?${new URLSearchParams({ owner, repo })}`,
    ran
  }
})

/** The attempts of a flaky run. */
export const retried = [{ status: "failed", failureMessage: "Sometimes" }, { status: "passed" }]
