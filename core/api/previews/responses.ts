import { Array, Schema, type DateTime } from "effect"
import type { Account } from "../../model/Account.ts"
import { DeclaredFile } from "../../model/Artifact.ts"
import { Platform } from "../../model/Build.ts"
import { GitProvenance, PreviewStatus, Recording, type Preview } from "../../model/Preview.ts"
import { ReplayCheck } from "../../model/ReplayCheck.ts"
import { BundleSlot, FileSlot, RecordingSlot } from "../../model/Slot.ts"
import { previewStatus } from "../../rules/previews.ts"
import type { PreviewPage } from "../../service/Overview.ts"
import type { PreviewTicket } from "../../service/Previews.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"

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
