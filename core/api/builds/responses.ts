import { Schema, type DateTime } from "effect"
import { DeclaredFile, DeviceSpec } from "../../model/Artifact.ts"
import { BuildStatus, Platform, type BuildView } from "../../model/Build.ts"
import { AppName, ciDetails } from "../../model/ciDetails.ts"
import { ReplayCheck } from "../../model/ReplayCheck.ts"
import { BundleSlot, FileSlot } from "../../model/Slot.ts"
import { buildStatus } from "../../rules/builds.ts"
import type { BuildTicket } from "../../service/Builds.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"

/** @see docs/interface.md#2.2 */
export const ReserveBuildResponse = Schema.Struct({
  id: Schema.String,
  token: Schema.String,
  expiresAt: Schema.DateTimeUtcFromString,
  url: Schema.String,
  slots: Schema.Struct({ bundle: BundleSlot, files: Schema.Array(FileSlot) })
}).annotate({ identifier: "ReserveBuildResponse" })

/** A build as finalize and both reads answer it. `previewUrl` is there once it is ready. @see docs/interface.md#2.4 */
export const BuildRow = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  previewUrl: Schema.optionalKey(Schema.String),
  status: BuildStatus,
  owner: Schema.String,
  repo: Schema.String,
  branch: Schema.String,
  platform: Platform,
  commitSha: Schema.String,
  app: Schema.optionalKey(AppName),
  contentHash: Schema.String,
  bundleSizeBytes: Schema.Int,
  bundleContentType: Schema.String,
  bundleOrigin: Schema.optionalKey(Schema.String),
  entry: Schema.optionalKey(Schema.String),
  isTransformed: Schema.Boolean,
  deviceSpec: Schema.optionalKey(DeviceSpec),
  replayCheck: Schema.optionalKey(ReplayCheck),
  files: Schema.Array(DeclaredFile),
  ...ciDetails,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
  readyAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "BuildRow" })
export type BuildRow = typeof BuildRow.Type

/** The stable hosted URL of a build; `viewerUrl` is the viewer's base URL. */
export const buildUrl = (viewerUrl: string, id: string): string => `${viewerUrl}/builds/${id}`

/** What a reservation answers. */
export const toReserveResponse = (ticket: BuildTicket, viewerUrl: string): typeof ReserveBuildResponse.Type => ({
  id: ticket.id,
  token: ticket.token,
  expiresAt: ticket.expiresAt,
  url: buildUrl(viewerUrl, ticket.id),
  slots: { bundle: ticket.slots.bundle, files: ticket.slots.files }
})

/** A build at `now`. */
export const toBuildRow = (view: BuildView, viewerUrl: string, now: DateTime.Utc): BuildRow => {
  const { build, repository, upload } = view
  const status = buildStatus(build, now)
  const url = buildUrl(viewerUrl, build.id)
  return {
    id: build.id,
    url,
    ...withoutUndefined({ previewUrl: status === "ready" ? `${url}/replay` : undefined }),
    status,
    owner: repository.owner,
    repo: repository.repo,
    branch: build.branch,
    platform: build.platform,
    commitSha: build.commitSha,
    ...withoutUndefined({ app: build.app }),
    ...upload.declaration,
    createdAt: build.createdAt,
    updatedAt: upload.finalizedAt ?? upload.reservedAt,
    ...withoutUndefined({ readyAt: build.readyAt })
  }
}
