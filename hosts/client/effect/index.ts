/** The client for Effect, derived from the definition of the interface: `slipway/client/effect`. */
import { Context, Data, Effect, Layer, Option, Queue, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../../../core/api/Api.ts"
import { Authentication } from "../../../core/api/middleware.ts"
import { BuildRow, type ReserveBuildRequest } from "../../../core/api/builds.ts"
import { PreviewMetadata, type ReservePreviewRequest } from "../../../core/api/previews.ts"
import type { CreateShareLinkRequest } from "../../../core/api/shareLinks.ts"
import type { RegisterTestRunRequest } from "../../../core/api/testRuns.ts"
import type { AnnounceImportRequest } from "../../../core/api/tests.ts"
import { BuildId, type Platform } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { ShareLinkId } from "../../../core/model/Resource.ts"
import { TestId } from "../../../core/model/TestHistory.ts"
import { TestRunId, type TestRunKind, type TestRunStatus } from "../../../core/model/TestRun.ts"
import { Problem } from "../../../core/model/Problem.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { BuildUpload, ClientOptions, PreviewUpload, Progress, UploadOptions } from "../Client.ts"
import { makeClient } from "../makeClient.ts"
import { onFetch } from "../onFetch.ts"
import { realTiming } from "../retrying.ts"
import { type ClientCode, SlipwayError } from "../SlipwayError.ts"

/** Fields that have a default may be left out. */
type Defaulted<Request, Field extends keyof Request> = Omit<Request, Field | "operation"> &
  Partial<Pick<Request, Field>>

/** What to reserve a build with. @see docs/interface.md#2.1 */
export type BuildInput = Defaulted<typeof ReserveBuildRequest.Type, "files" | "isTransformed">

/** What to reserve a preview with. @see docs/interface.md#2.6 */
export type PreviewInput = Defaulted<typeof ReservePreviewRequest.Type, "files" | "isTransformed" | "recordings">

/** What to register a test run with. @see docs/interface.md#2.7 */
export type TestRunInput = Omit<typeof RegisterTestRunRequest.Type, "previewShareId"> & {
  readonly previewShareId: string
}

/** Which previews to list. */
export interface PreviewQuery {
  readonly owner: string
  readonly repo: string
  readonly limit?: number
  readonly cursor?: string
}

/** Which test runs to list. @see docs/interface.md#4.10 */
export interface TestRunQuery {
  readonly org: string
  readonly repo: string
  readonly branch?: string
  readonly kind?: TestRunKind
  readonly status?: TestRunStatus
  readonly source?: string
  /** `github:1234567`: the runs of every attempt at a CI run. */
  readonly ciRun?: string
  readonly pr?: number
  readonly app?: string
  readonly limit?: number
  readonly cursor?: string
}

/** Which tests to list. */
export interface TestQuery {
  readonly org: string
  readonly repo: string
  readonly branch?: string
  readonly status?: TestRunStatus
  readonly flaky?: true
  readonly app?: string
  readonly limit?: number
  readonly cursor?: string
}

/** A request with a key is carried out once; the same request with the same key gets the same answer for 24 hours. */
export interface Repeatable {
  readonly idempotencyKey?: string
}

/** How long a share link lives: from a minute to 90 days, a week by default. */
export type ShareOptions = typeof CreateShareLinkRequest.Type

/** Which page of a list to read: the `nextCursor` of the page before it, or none for the first page. */
export interface Page {
  readonly cursor?: string
}

const queryOf = ({ cursor }: Page = {}) => (cursor === undefined ? {} : { cursor: ShareLinkId.make(cursor) })

/** The fields of a slot that a PUT needs. @see docs/interface.md#2.5 */
export interface PutSlot {
  readonly putUrl: string
  readonly contentType: string
  readonly sizeBytes: number
}

/** An upload that failed on the client's side, or of which the service's answer is no `Problem`. */
export class UploadFailed extends Data.TaggedError("UploadFailed")<{
  readonly code: ClientCode | (string & {})
  readonly message: string
  readonly cause: unknown
}> {}

/** How far an upload has come, and at its end what was uploaded. */
export type UploadEvent<A> =
  | ({ readonly _tag: "Progress" } & Progress)
  | { readonly _tag: "Uploaded"; readonly uploaded: A }

/** How many bodies are read or sent at a time: 8 by default. */
export type UploadSettings = Pick<UploadOptions, "concurrency">

/** What an upload fails with: the refusal of the service, or {@link UploadFailed}. */
const uploadFailure = (error: unknown): Problem | UploadFailed => {
  const { problem } = error instanceof SlipwayError ? error : {}
  const refused = Schema.decodeUnknownOption(Schema.toCodecJson(Problem))(problem)
  const code = error instanceof SlipwayError ? error.code : "body_unfit"
  return Option.getOrElse(
    refused,
    () => new UploadFailed({ code, message: error instanceof Error ? error.message : String(error), cause: error })
  )
}

/** Runs an upload of the client without Effect, which digests the bodies, retries, and sends again what a finalize misses. */
const uploading = <A>(
  answer: Schema.Codec<A, unknown>,
  run: (options: UploadOptions) => Promise<unknown>
): Stream.Stream<UploadEvent<A>, Problem | UploadFailed> =>
  Stream.callback((queue) =>
    Effect.tryPromise({
      try: (signal) =>
        run({ signal, onProgress: (progress) => void Queue.offerUnsafe(queue, { _tag: "Progress", ...progress }) }),
      catch: uploadFailure
    }).pipe(
      Effect.flatMap((json) => Effect.orDie(Schema.decodeUnknownEffect(answer)(json))),
      Effect.tap((uploaded) => Queue.offer(queue, { _tag: "Uploaded", uploaded })),
      Effect.andThen(Queue.end(queue)),
      Effect.catch((failure) => Queue.fail(queue, failure))
    )
  )

/** The last event of an upload. */
const uploadedBy = <A, E>(events: Stream.Stream<UploadEvent<A>, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Stream.runLast(events), (last) =>
    Option.isSome(last) && last.value._tag === "Uploaded"
      ? Effect.succeed(last.value.uploaded)
      : Effect.die("an upload ended without an answer")
  )

const headersOf = ({ idempotencyKey }: Repeatable = {}) => withoutUndefined({ "idempotency-key": idempotencyKey })

/**
 * Sets the length of a stream for `fetch`. Without it, `fetch` sends the stream in chunks, which S3 refuses. Other
 * clients take the length from the body.
 */
const withLength = (sizeBytes: number) =>
  Effect.updateService(FetchHttpClient.Fetch, (fetch): typeof globalThis.fetch => (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set("content-length", String(sizeBytes))
    return fetch(input, { ...init, headers })
  })

interface SlipwayClientOptions {
  readonly url: string
  readonly key: Redacted.Redacted
  /** How uploads retry, and how long they wait. They are sent by `fetch`, that of `FetchHttpClient.Fetch` if there is one. */
  readonly uploads?: Pick<ClientOptions, "retries" | "timeouts"> | undefined
}

const make = (options: SlipwayClientOptions) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const api = yield* HttpApiClient.make(Api, { baseUrl: options.url })
    const plain = makeClient(
      { url: options.url, key: Redacted.value(options.key), fetch: yield* FetchHttpClient.Fetch, ...options.uploads },
      onFetch,
      realTiming
    )
    const uploadingBuild = (build: BuildUpload, settings: UploadSettings = {}) =>
      uploading(BuildRow, (options) => plain.builds.upload(build, { ...settings, ...options }))
    const uploadingPreview = (preview: PreviewUpload, settings: UploadSettings = {}) =>
      uploading(PreviewMetadata, (options) => plain.previews.upload(preview, { ...settings, ...options }))

    return {
      builds: {
        /** Uploads a build whole: digests, reserve, PUTs and finalize, with retries. Answers it ready. */
        upload: (build: BuildUpload, settings?: UploadSettings) => uploadedBy(uploadingBuild(build, settings)),
        /** The same as a stream of its progress. To interrupt the stream ends the upload. */
        uploading: uploadingBuild,
        reserve: Effect.fnUntraced(function* (build: BuildInput, repeatable?: Repeatable) {
          const payload = { files: [], isTransformed: false, ...build }
          const { body } = yield* api.builds.post({ payload, headers: headersOf(repeatable) })
          return "token" in body ? body : yield* Effect.die("the service answered a reservation with a build")
        }),
        finalize: Effect.fnUntraced(function* (token: string) {
          const { body } = yield* api.builds.post({ payload: { operation: "finalize", token }, headers: {} })
          return "token" in body ? yield* Effect.die("the service answered a finalize with a reservation") : body
        }),
        latest: (query: {
          readonly owner: string
          readonly repo: string
          readonly branch: string
          readonly platform?: Platform
          readonly app?: string
        }) => api.builds.latest({ query: { platform: "ios", ...query } }),
        read: (id: string) => api.builds.read({ params: { id: BuildId.make(id) } }),
        /** Deletes a build permanently, and ends its share links. */
        delete: (id: string) => api.builds.delete({ params: { id: BuildId.make(id) } }),
        /** Creates a read-only link that shows the build without a key. The `url` is returned only once. */
        share: (id: string, options: ShareOptions = {}) =>
          api.builds.createShareLink({ params: { id: BuildId.make(id) }, payload: options }),
        listShares: (id: string, page?: Page) =>
          api.builds.listShareLinks({ params: { id: BuildId.make(id) }, query: queryOf(page) }),
        revokeShare: (id: string, link: string) =>
          api.builds.revokeShareLink({ params: { id: BuildId.make(id), link: ShareLinkId.make(link) } })
      },
      previews: {
        /** Uploads a preview whole, as `builds.upload` does. Answers it hosted. */
        upload: (preview: PreviewUpload, settings?: UploadSettings) => uploadedBy(uploadingPreview(preview, settings)),
        uploading: uploadingPreview,
        reserve: (preview: PreviewInput, repeatable?: Repeatable) =>
          Effect.map(
            api.previews.reserve({
              payload: { files: [], recordings: [], isTransformed: false, ...preview },
              headers: headersOf(repeatable)
            }),
            ({ body }) => body
          ),
        finalize: (token: string) => Effect.map(api.previews.finalize({ payload: { token } }), ({ body }) => body),
        read: (shareId: string) => api.previews.read({ params: { id: ShareId.make(shareId) } }),
        /** The previews of a repository that are ready, newest first, without those of test runs. */
        list: ({ cursor, ...query }: PreviewQuery) =>
          api.previews.list({
            query: { ...query, ...(cursor === undefined ? {} : { cursor: ReservationId.make(cursor) }) }
          }),
        /** Deletes a preview permanently, and ends its share links; its test runs stay. */
        delete: (shareId: string) => api.previews.delete({ params: { id: ShareId.make(shareId) } }),
        /** Creates a read-only link that shows the preview without a key. The `url` is returned only once. */
        share: (shareId: string, options: ShareOptions = {}) =>
          api.previews.createShareLink({ params: { id: ShareId.make(shareId) }, payload: options }),
        listShares: (shareId: string, page?: Page) =>
          api.previews.listShareLinks({ params: { id: ShareId.make(shareId) }, query: queryOf(page) }),
        /** Ends a link at once, by its `id`. */
        revokeShare: (shareId: string, link: string) =>
          api.previews.revokeShareLink({ params: { id: ShareId.make(shareId), link: ShareLinkId.make(link) } })
      },
      testRuns: {
        register: (run: TestRunInput, repeatable?: Repeatable) =>
          Effect.map(
            api.testRuns.register({
              payload: { ...run, previewShareId: ShareId.make(run.previewShareId) },
              headers: headersOf(repeatable)
            }),
            ({ body }) => body
          ),
        list: (query: TestRunQuery) => api.testRuns.list({ query }),
        /** A run by its id. */
        read: (id: string) => api.testRuns.read({ params: { id: TestRunId.make(id) } }),
        /** Deletes a run permanently, and ends its share links; its preview stays. */
        delete: (id: string) => api.testRuns.delete({ params: { id: TestRunId.make(id) } }),
        /** Creates a read-only link that shows the run without a key. The `url` is returned only once. */
        share: (id: string, options: ShareOptions = {}) =>
          api.testRuns.createShareLink({ params: { id: TestRunId.make(id) }, payload: options }),
        listShares: (id: string, page?: Page) =>
          api.testRuns.listShareLinks({ params: { id: TestRunId.make(id) }, query: queryOf(page) }),
        revokeShare: (id: string, link: string) =>
          api.testRuns.revokeShareLink({ params: { id: TestRunId.make(id), link: ShareLinkId.make(link) } })
      },
      /** The histories of tests, see docs/history.md. */
      tests: {
        list: (query: TestQuery) =>
          Effect.flatMap(api.tests.list({ query }), (answer) =>
            "tests" in answer ? Effect.succeed(answer) : Effect.die("the service answered a list with a table")
          ),
        read: (id: string, query: { readonly branch?: string } = {}) =>
          api.tests.read({ params: { id: TestId.make(id) }, query })
      },
      sources: {
        /** Which failures of a CI run are new, compared with `base` or the default branch. */
        read: (
          source: string,
          query: { readonly org: string; readonly repo: string; readonly base?: string; readonly app?: string }
        ) => api.tests.readSource({ params: { source }, query }),
        /** Opens an import before its first run, or closes it: until then, the CI run is incomplete. */
        announceImport: (source: string, announced: typeof AnnounceImportRequest.Type) =>
          api.tests.announceImport({ params: { source }, payload: announced })
      },
      /** What the account of the key uses of its quotas. */
      usage: api.usage.read(),
      /** PUTs exactly the declared bytes to a slot. Browsers can't send a stream to every store; bytes they can. */
      put: (slot: PutSlot, content: Uint8Array | Stream.Stream<Uint8Array, unknown>) => {
        const body =
          content instanceof Uint8Array
            ? HttpBody.uint8Array(content, slot.contentType)
            : HttpBody.stream(content, slot.contentType, slot.sizeBytes)
        const request = HttpClientRequest.setBody(HttpClientRequest.put(slot.putUrl), body)
        const sent = HttpClient.filterStatusOk(http).execute(request)
        return sent.pipe(withLength(slot.sizeBytes), Effect.scoped, Effect.asVoid)
      }
    }
  }).pipe(
    Effect.provide(
      HttpApiMiddleware.layerClient(Authentication, ({ next, request }) =>
        next(HttpClientRequest.bearerToken(request, options.key))
      )
    )
  )

/**
 * A client of the interface, derived from its definition. A refusal of the service is a failure with its Problem.
 *
 * `upload` sends a build or preview whole, and `uploading` does so as a stream of its progress. The steps are there too: `reserve`,
 * `put` the bytes of each slot, `finalize`.
 */
export class SlipwayClient extends Context.Service<SlipwayClient, Effect.Success<ReturnType<typeof make>>>()(
  "slipway/client/SlipwayClient"
) {
  /** A client of the service at `url`, with an API key, over the `HttpClient` in the context. */
  static readonly layer = (options: SlipwayClientOptions) => Layer.effect(SlipwayClient, make(options))
}
