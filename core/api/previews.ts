import { Array, Effect, Schema, type DateTime } from "effect"
import { DeclaredFile, DeclaredFiles } from "../model/Artifact.ts"
import { bundleFields, Platform, ReplayCheck } from "../model/Build.ts"
import {
  BillingKind,
  GitProvenance,
  PreviewStatus,
  Recording,
  ShareId,
  type Preview,
  type PreviewDeclaration
} from "../model/Preview.ts"
import { OwnerName, RepoName } from "../model/Repository.ts"
import { BundleSlot, FileSlot, RecordingSlot, ReservationId } from "../model/Reservation.ts"
import { isId, text } from "../model/Text.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { lengthOf } from "./bodyBounds.ts"
import { CrossFieldIssues, idempotencyHeader, repeatedFilePaths, WholeNumber } from "./fields.ts"
import type { Account } from "../model/Account.ts"
import { previewStatus } from "../rules/builds.ts"
import type { PreviewPage } from "../service/Overview.ts"
import type { PreviewTicket } from "../service/Previews.ts"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  IdempotencyConflict,
  InsufficientScope,
  NotFound,
  PreviewNotReady,
  QuotaExceeded,
  RateLimited,
  ReservationExpired,
  UploadIncomplete
} from "../model/Problem.ts"
import { deletion, protect } from "./middleware.ts"
import { shareLinkEndpoints } from "./shareLinks.ts"

/** @see docs/interface.md#2.6, #4.6 */
export const ReservePreviewRequest = Schema.Struct({
  ...bundleFields,
  isTransformed: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  platform: Schema.optionalKey(Platform),
  files: DeclaredFiles.annotate(lengthOf("files")).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  recordings: Schema.Array(Recording)
    .annotate(lengthOf("recordings"))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  ...GitProvenance.fields,
  billingKind: Schema.optionalKey(BillingKind)
}).annotate({ identifier: "ReservePreviewRequest" })

/** @see docs/interface.md#4.7 */
export const FinalizePreviewRequest = Schema.Struct({ token: text(1024) }).annotate({
  identifier: "FinalizePreviewRequest"
})

/** Not part of the interface; see docs/api-behavior.md. */
const listPreviewsQuery = {
  owner: OwnerName,
  repo: RepoName,
  limit: Schema.optionalKey(WholeNumber),
  cursor: Schema.optionalKey(ReservationId.check(isId("must be a cursor of this list")))
}

/** What a request declares. */
export const toPreviewDeclaration = (body: typeof ReservePreviewRequest.Type): PreviewDeclaration => {
  const { app, author, base, branch, commitMessage, commitSha, job, owner, pr, repo, ...declaration } = body
  const git = { owner, repo, branch, commitSha: commitSha?.toLowerCase(), pr, app, commitMessage, author, base, job }
  return { ...declaration, git: withoutUndefined(git) }
}

/** @see docs/interface.md#2.6 */
export const ReservePreviewResponse = Schema.Struct({
  shareId: Schema.String,
  token: Schema.String,
  expiresAt: Schema.DateTimeUtcFromString,
  url: Schema.String,
  slots: Schema.Struct({
    bundle: BundleSlot,
    files: Schema.Array(FileSlot),
    recordings: Schema.Array(RecordingSlot)
  })
}).annotate({ identifier: "ReservePreviewResponse" })

const url = Schema.optionalKey(Schema.String)

/**
 * A preview as finalize and the read answer it, in its groups. The `url` of the bundle, of a file and of a recording
 * opens it for the account that owns it; they are there once the preview is ready.
 *
 * @see docs/interface.md#2.6, #4.8
 */
export const PreviewMetadata = Schema.Struct({
  shareId: Schema.String,
  url: Schema.String,
  status: PreviewStatus,
  device: Schema.Struct({
    platform: Schema.optionalKey(Platform),
    width: Schema.optionalKey(Schema.Finite),
    height: Schema.optionalKey(Schema.Finite)
  }),
  bundle: Schema.Struct({
    contentHash: Schema.String,
    sizeBytes: Schema.Int,
    contentType: Schema.String,
    origin: Schema.optionalKey(Schema.String),
    entry: Schema.optionalKey(Schema.String),
    isTransformed: Schema.Boolean,
    url
  }),
  files: Schema.Array(Schema.Struct({ ...DeclaredFile.fields, url })),
  recordings: Schema.Array(Schema.Struct({ ...Recording.fields, url })),
  git: GitProvenance,
  account: Schema.Struct({ id: Schema.String, name: Schema.String }),
  billingKind: Schema.optionalKey(Schema.String),
  replayCheck: Schema.optionalKey(ReplayCheck),
  createdAt: Schema.DateTimeUtcFromString,
  readyAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "PreviewMetadata" })
export type PreviewMetadata = typeof PreviewMetadata.Type

/** A page of previews, newest first; `nextCursor` continues it. `sizeBytes` is the size of the bundle and the files together. */
export const PreviewList = Schema.Struct({
  previews: Schema.Array(
    Schema.Struct({
      shareId: Schema.String,
      url: Schema.String,
      platform: Schema.optionalKey(Platform),
      sizeBytes: Schema.Int,
      git: GitProvenance,
      replayCheck: Schema.optionalKey(ReplayCheck),
      createdAt: Schema.DateTimeUtcFromString,
      readyAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
    }).annotate({ identifier: "PreviewListItem" })
  ),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "PreviewList" })

/** A page of the list. */
export const toPreviewList = (page: PreviewPage, viewerUrl: string): typeof PreviewList.Type => ({
  previews: page.previews.map(({ declaration, finalizedAt, reservedAt, shareId }) => ({
    shareId,
    url: previewUrl(viewerUrl, shareId),
    sizeBytes: declaration.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, declaration.bundleSizeBytes),
    git: declaration.git,
    createdAt: reservedAt,
    ...withoutUndefined({
      platform: declaration.platform,
      replayCheck: declaration.replayCheck,
      readyAt: finalizedAt
    })
  })),
  ...withoutUndefined({ nextCursor: page.next })
})

/** The hosted URL of a preview; `viewerUrl` is the viewer's base URL. */
export const previewUrl = (viewerUrl: string, shareId: string): string => `${viewerUrl}/previews/${shareId}`

/** What a reservation answers. */
export const toReserveResponse = (
  ticket: PreviewTicket,
  recordings: ReadonlyArray<Recording>,
  viewerUrl: string
): typeof ReservePreviewResponse.Type => ({
  shareId: ticket.shareId,
  token: ticket.token,
  expiresAt: ticket.expiresAt,
  url: previewUrl(viewerUrl, ticket.shareId),
  slots: {
    bundle: ticket.slots.bundle,
    files: ticket.slots.files,
    recordings: Array.zipWith(ticket.slots.recordings, recordings, (slot, { name }) => ({ ...slot, name }))
  }
})

const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/** A preview of an account at `now`. */
export const toPreviewMetadata = (
  preview: Preview,
  account: Pick<Account, "id" | "name">,
  viewerUrl: string,
  now: DateTime.Utc
): PreviewMetadata => {
  const { declaration, finalizedAt, reservedAt, shareId } = preview
  const { billingKind, bundleOrigin, deviceSpec, entry, files, git, platform, recordings, replayCheck } = declaration
  const page = previewUrl(viewerUrl, shareId)
  const opens = (place: string) => withoutUndefined({ url: finalizedAt && `${page}/${place}` })
  return {
    shareId,
    url: page,
    status: previewStatus(preview, now),
    device: withoutUndefined({ platform, ...deviceSpec }),
    bundle: {
      contentHash: declaration.contentHash,
      sizeBytes: declaration.bundleSizeBytes,
      contentType: declaration.bundleContentType,
      ...withoutUndefined({ origin: bundleOrigin, entry }),
      isTransformed: declaration.isTransformed,
      ...opens("bundle")
    },
    files: files.map((file) => ({ ...file, ...opens(`files/${encodePath(file.path)}`) })),
    recordings: recordings.map((recording, index) => ({ ...recording, ...opens(`recordings/${index}`) })),
    git,
    account: { id: account.id, name: account.name },
    createdAt: reservedAt,
    ...withoutUndefined({ billingKind, replayCheck, readyAt: finalizedAt })
  }
}

const previewParam = ShareId.check(isId("must be a share id"))

const created = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema.pipe(HttpApiSchema.status(201)), { location: Schema.String })

const reserve = HttpApiEndpoint.post("reserve", "/", {
  headers: idempotencyHeader,
  payload: ReservePreviewRequest,
  success: created(ReservePreviewResponse),
  error: [NotFound, InsufficientScope, IdempotencyConflict, RateLimited, QuotaExceeded]
})
  .annotateMerge(OpenApi.annotations({ summary: "Reserve a preview's upload slots" }))
  .annotate(CrossFieldIssues, repeatedFilePaths)

const finalize = HttpApiEndpoint.post("finalize", "/finalize", {
  payload: FinalizePreviewRequest,
  success: created(PreviewMetadata),
  error: [NotFound, ReservationExpired, UploadIncomplete]
}).annotateMerge(OpenApi.annotations({ summary: "Verify what was uploaded and host the preview" }))

const read = HttpApiEndpoint.get("read", "/:id", {
  params: { id: previewParam },
  success: PreviewMetadata,
  error: NotFound
}).annotateMerge(OpenApi.annotations({ summary: "Read a preview's metadata" }))

const list = HttpApiEndpoint.get("list", "/", {
  query: listPreviewsQuery,
  success: PreviewList,
  error: NotFound
}).annotateMerge(
  OpenApi.annotations({
    summary: "List the previews of a repository",
    description:
      "An extension of the interface. Those that are ready, newest first, without those of test runs (`billingKind` `test_run`). `limit` defaults to 20 and is clamped to 1–30.",
    override: { "x-slipway-extension": true }
  })
)

const shareLinks = shareLinkEndpoints(previewParam, {
  what: "a preview",
  scopes: ["preview_upload"],
  refusals: [NotFound, PreviewNotReady]
})

/** @see docs/interface.md#4.6–4.8 */
export class PreviewsGroup extends protect(
  ["preview_upload"],
  HttpApiGroup.make("previews")
    .add(reserve, finalize, read, list, deletion(previewParam, "a preview", "preview_upload"), ...shareLinks)
    .prefix("/api/v1/previews")
) {}
