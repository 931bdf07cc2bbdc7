import { Effect, Schema } from "effect"
import { PreviewMetadata, ReservePreviewResponse } from "../../../core/api/previews.ts"
import { TestRunList, TestRunRecord, type RegisterTestRunRequest } from "../../../core/api/testRuns.ts"
import { newAccount, TestHost } from "./TestHost.ts"
import { bundle, bytes, commit, data, declaredFiles, put, sha256, style, type Account } from "./uploads.ts"

type Headers = Record<string, string>
type Keyed = Pick<Account, "key">

/** An account whose key has the scopes for previews and test runs. */
export const uploader = newAccount(["preview_upload", "test_runs"])

export const shot = bytes("not really a screenshot\n")
export const log = bytes("I: started\nE: stopped\n")

/** Recordings: one with a digest, one without. */
export const declaredRecordings = [
  {
    name: "Home",
    kind: "screenshot",
    sizeBytes: shot.byteLength,
    contentType: "image/png",
    contentHash: sha256(shot),
    startedAtMs: 0
  },
  {
    name: "Device log",
    kind: "log",
    sizeBytes: log.byteLength,
    contentType: "text/plain; charset=utf-8",
    startedAtMs: 12.5,
    durationMs: 3000
  }
]

/** A valid body of a preview reservation. `fields` replaces fields; `undefined` omits one. */
export const previewBody = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  contentHash: sha256(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript",
  ...fields
})

/** A valid body of a run registration. */
export const runBody = (
  account: Pick<Account, "owner" | "repo">,
  previewShareId: string,
  fields: Record<string, unknown> = {}
): Record<string, unknown> => ({
  kind: "maestro",
  name: "Checkout",
  status: "passed",
  owner: account.owner,
  repo: account.repo,
  previewShareId,
  ...fields
})

/** Every field of a run's registration beside its repository and preview. A field without a value here is an error of types. */
export const everyRunField = {
  kind: "detox",
  name: "Checkout",
  prompt: "Buy the first item,\n\tthen pay",
  status: "failed",
  branch: "feature/ünïcode-🚢",
  commitSha: commit(0xabc),
  stepCount: 12,
  durationMs: 34_567,
  failureMessage: "Element not found:\n\t#pay",
  failedStepIndex: 11,
  source: "ci",
  pr: 7,
  startedAt: "2026-02-03T04:05:06.789Z",
  device: { name: "iPhone 16", platform: "ios", osVersion: "18.2" },
  attempts: [{ status: "failed", durationMs: 600, failureMessage: "Element not found:\n\t#pay" }, { status: "failed" }],
  file: "flows/pay.yaml",
  tags: ["smoke", "pay"],
  app: "rider / ünï",
  commitMessage: "Pay by card\n\nCloses #7",
  author: "Zoë <zoe@acme.example>",
  base: "main",
  job: "e2e (2)"
} satisfies Required<Omit<typeof RegisterTestRunRequest.Encoded, "owner" | "repo" | "previewShareId">>

export const asPreviewReservation = Schema.decodeUnknownEffect(ReservePreviewResponse)
export const asMetadata = Schema.decodeUnknownEffect(PreviewMetadata)
export const asRun = Schema.decodeUnknownEffect(TestRunRecord)
export const asRuns = Schema.decodeUnknownEffect(TestRunList)

const send = (path: string) =>
  Effect.fnUntraced(function* ({ key }: Keyed, body: unknown, headers: Headers = {}) {
    const host = yield* TestHost
    return yield* host.call("POST", path, { key, body, headers })
  })

const get = Effect.fnUntraced(function* ({ key }: Keyed, path: string, headers: Headers = {}) {
  const host = yield* TestHost
  return yield* host.call("GET", path, { key, headers })
})

export const postPreview = send("/api/v1/previews")
export const postFinalize = send("/api/v1/previews/finalize")
export const register = send("/api/v1/test-runs")

export const finalizePreview = (account: Keyed, token: string) => postFinalize(account, { token })

export const readPreview = (account: Keyed, shareId: string) => get(account, `/api/v1/previews/${shareId}`)

/** Reserves, expecting 201. */
export const reservePreview = Effect.fnUntraced(function* (account: Keyed, fields: Record<string, unknown> = {}) {
  const answer = yield* postPreview(account, previewBody(fields))
  if (answer.status !== 201) return yield* Effect.die(new Error(`reserve answered ${answer.status}: ${answer.text}`))
  return yield* asPreviewReservation(answer.json)
})

/** Declares and answers a preview with the default files and recordings. */
export const reserveFull = (account: Keyed, fields: Record<string, unknown> = {}) =>
  reservePreview(account, { files: declaredFiles, recordings: declaredRecordings, ...fields })

/** PUTs what the default files and recordings declared. */
export const putFull = Effect.fnUntraced(function* ({ slots }: typeof ReservePreviewResponse.Type) {
  for (const [slot, content] of [
    [slots.bundle, bundle],
    [slots.files[0], style],
    [slots.files[1], data],
    [slots.recordings[0], shot],
    [slots.recordings[1], log]
  ] as const) {
    if (slot === undefined) return yield* Effect.die(new Error("a slot is missing"))
    yield* put(slot, content)
  }
})

/** Reserves the default files and recordings and PUTs them; returns the reservation. */
export const uploadFull = (account: Keyed, fields: Record<string, unknown> = {}) =>
  Effect.tap(reserveFull(account, fields), putFull)

/** The whole flow with only the default bundle; returns the metadata. */
export const readyPreview = Effect.fnUntraced(function* (account: Keyed, fields: Record<string, unknown> = {}) {
  const reservation = yield* reservePreview(account, fields)
  yield* put(reservation.slots.bundle, bundle)
  const answer = yield* finalizePreview(account, reservation.token)
  if (answer.status !== 201) return yield* Effect.die(new Error(`finalize answered ${answer.status}: ${answer.text}`))
  return { reservation, answer, metadata: yield* asMetadata(answer.json), shareId: reservation.shareId }
})

/** Registers, expecting 201. */
export const registered = Effect.fnUntraced(function* (
  account: Account,
  shareId: string,
  fields: Record<string, unknown> = {}
) {
  const answer = yield* register(account, runBody(account, shareId, fields))
  if (answer.status !== 201) return yield* Effect.die(new Error(`register answered ${answer.status}: ${answer.text}`))
  return yield* asRun(answer.json)
})

/** The answer to a list of the account's repository. */
export const list = (account: Account, query: Record<string, string> = {}, headers: Headers = {}) =>
  get(
    account,
    `/api/v1/test-runs?${new URLSearchParams({ org: account.owner, repo: account.repo, ...query })}`,
    headers
  )

/** The runs of the account's repository, a page of them. */
export const listed = Effect.fnUntraced(function* (account: Account, query: Record<string, string> = {}) {
  const answer = yield* list(account, query)
  if (answer.status !== 200) return yield* Effect.die(new Error(`list answered ${answer.status}: ${answer.text}`))
  return yield* asRuns(answer.json)
})
