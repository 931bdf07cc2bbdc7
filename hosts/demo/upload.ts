import { Effect, Stream } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { createHash } from "node:crypto"
import { BuildRow, ReserveBuildResponse } from "../../core/api/builds/responses.ts"
import { repository } from "./account.ts"
import type { BundledApp } from "./bundle.ts"
import type { Progress } from "./progress.ts"

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** What CI would know of the commit that it built. Always the same, so each run of the demo updates the same build. */
const provenance = { ...repository, branch: "main", platform: "ios", commitSha: "5ee0d1e5".repeat(5) } as const

/** Uploads the app as a build: reserve, PUT, finalize; then reads it back by branch and by id. */
export const upload = Effect.fnUntraced(function* (options: {
  readonly url: string
  readonly key: string
  readonly app: BundledApp
  readonly progress: Progress
}) {
  const { app, key, progress } = options
  const http = yield* HttpClient.HttpClient
  const api = http.pipe(
    HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.prependUrl(`${options.url}/api/v1`), HttpClientRequest.bearerToken(key))
    ),
    HttpClient.filterStatusOk
  )
  const post = Effect.fnUntraced(function* (body: unknown) {
    return yield* api.execute(HttpClientRequest.post("/builds").pipe(HttpClientRequest.bodyJsonUnsafe(body)))
  })

  const reservation = yield* post({
    ...provenance,
    contentHash: sha256(app.bundle),
    bundleSizeBytes: app.bundle.byteLength,
    bundleContentType: app.bundleContentType,
    entry: app.entry,
    isTransformed: true,
    deviceSpec: { width: 390, height: 844 },
    files: app.files.map(({ bytes, contentType, path }) => ({
      path,
      contentType,
      sizeBytes: bytes.byteLength,
      contentHash: sha256(bytes)
    }))
  }).pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(ReserveBuildResponse)))

  const contents = new Map(app.files.map((file) => [file.path, file.bytes]))
  const slots = [
    { ...reservation.slots.bundle, name: app.entry, bytes: app.bundle },
    ...reservation.slots.files.map((slot) => ({
      ...slot,
      name: slot.path,
      bytes: contents.get(slot.path) ?? new Uint8Array()
    }))
  ]
  yield* progress.start(slots.reduce((total, { bytes }) => total + bytes.byteLength, 0))
  yield* Effect.forEach(
    slots,
    ({ bytes, contentType, name, putUrl }) => {
      const chunks = Array.from({ length: Math.ceil(bytes.byteLength / 65536) }, (_, n) =>
        bytes.subarray(n * 65536, (n + 1) * 65536)
      )
      const body = Stream.fromIterable(chunks).pipe(
        Stream.tap((chunk) => progress.sent(name, chunk.byteLength)),
        Stream.rechunk(1)
      )
      const request = HttpClientRequest.put(putUrl).pipe(
        HttpClientRequest.setBody(HttpBody.stream(body, contentType, bytes.byteLength))
      )
      return Effect.scoped(HttpClient.filterStatusOk(http).execute(request))
    },
    { concurrency: 4, discard: true }
  )
  yield* progress.stop

  const finalized = yield* post({ operation: "finalize", token: reservation.token }).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(BuildRow))
  )
  const { branch, owner, platform, repo } = provenance
  const byBranch = yield* api
    .get("/builds", { urlParams: { owner, repo, branch, platform } })
    .pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(BuildRow)))
  const byId = yield* api
    .get(`/builds/${finalized.id}`)
    .pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(BuildRow)))
  return { finalized, byBranch, byId }
})
