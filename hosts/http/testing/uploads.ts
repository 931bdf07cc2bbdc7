import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { BuildRow, ReserveBuildResponse } from "../../../core/api/builds.ts"
import { HttpProblem } from "../HttpProblem.ts"
import { call, TestHost, type HttpResponse } from "./TestHost.ts"

export const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

export const sha256 = (data: Uint8Array): string => createHash("sha256").update(data).digest("hex")

/** The build that a test uploads: by default a small bundle and two files, one with a digest and one without. */
export const bundle = bytes('console.log("hello from the bundle")\n')
export const style = bytes("body { color: rebeccapurple }\n")
export const data = bytes('{"answer":42}\n')

export interface Account {
  readonly owner: string
  readonly repo: string
  readonly key: string
}

/** A different commit hash for each number. */
export const commit = (n: number): string => n.toString(16).padStart(40, "0")

/** A valid reservation body. `with` replaces fields; `undefined` omits one. */
export const reserveBody = (account: Account, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  owner: account.owner,
  repo: account.repo,
  branch: "main",
  platform: "ios",
  commitSha: commit(1),
  contentHash: sha256(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript",
  ...fields
})

export const declaredFiles = [
  { path: "assets/style.css", sizeBytes: style.byteLength, contentType: "text/css", contentHash: sha256(style) },
  { path: "data.json", sizeBytes: data.byteLength, contentType: "application/json" }
]

export const asReservation = Schema.decodeUnknownEffect(ReserveBuildResponse)
export const asRow = Schema.decodeUnknownEffect(BuildRow)
export const asProblem = Schema.decodeUnknownEffect(HttpProblem)

export const post = Effect.fnUntraced(function* (account: Pick<Account, "key">, body: unknown) {
  const host = yield* TestHost
  return yield* host.call("POST", "/api/v1/builds", { key: account.key, body })
})

/** Reserves, expecting 201. */
export const reserve = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const answer = yield* post(account, reserveBody(account, fields))
  if (answer.status !== 201) return yield* Effect.die(new Error(`reserve answered ${answer.status}: ${answer.text}`))
  return yield* asReservation(answer.json)
})

/** PUTs bytes to a slot with the slot's content type and no other header. */
export const put = (
  slot: { readonly putUrl: string; readonly contentType: string },
  content: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {}
): Effect.Effect<HttpResponse> =>
  call("PUT", slot.putUrl, { raw: content, headers: { "content-type": slot.contentType, ...headers } })

export const finalize = (account: Pick<Account, "key">, token: string) =>
  post(account, { operation: "finalize", token })

export const read = Effect.fnUntraced(function* (account: Pick<Account, "key">, id: string) {
  const host = yield* TestHost
  return yield* host.call("GET", `/api/v1/builds/${id}`, { key: account.key })
})

export const latest = Effect.fnUntraced(function* (account: Account, query: Record<string, string> = {}) {
  const host = yield* TestHost
  const { owner, repo } = account
  const search = new URLSearchParams({ owner, repo, branch: "main", ...query })
  return yield* host.call("GET", `/api/v1/builds?${search}`, { key: account.key })
})

/** The whole flow with the default bundle and no files; returns the ready row. */
export const readyBuild = Effect.fnUntraced(function* (account: Account, fields: Record<string, unknown> = {}) {
  const reservation = yield* reserve(account, fields)
  yield* put(reservation.slots.bundle, bundle)
  const answer = yield* finalize(account, reservation.token)
  if (answer.status !== 201) return yield* Effect.die(new Error(`finalize answered ${answer.status}: ${answer.text}`))
  return { reservation, row: yield* asRow(answer.json), answer }
})
