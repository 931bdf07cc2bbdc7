/**
 * The bodies of `POST /api/v1/builds`: without `operation` it reserves, with `"operation": "finalize"` it finalizes.
 */
import { Effect, Schema, type DateTime, type SchemaIssue } from "effect"
import { DeclaredFile, DeclaredFiles, DeviceSpec } from "../model/Artifact.ts"
import {
  AppName,
  BuildId,
  BuildStatus,
  bundleFields,
  ciDetails,
  CommitSha,
  Platform,
  ReplayCheck,
  type BuildView
} from "../model/Build.ts"
import { OwnerName, RepoName } from "../model/Repository.ts"
import { isId, Name, text } from "../model/Text.ts"
import { lengthOf } from "./bodyBounds.ts"
import { BundleSlot, FileSlot } from "../model/Reservation.ts"
import { buildStatus } from "../rules/builds.ts"
import type { BuildTicket } from "../service/Builds.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  IdempotencyConflict,
  NotFound,
  QuotaExceeded,
  RateLimited,
  ReservationExpired,
  UploadIncomplete
} from "../model/Problem.ts"
import { deletion, protect } from "./middleware.ts"
import { CrossFieldIssues, idempotencyHeader, repeatedFilePaths } from "./fields.ts"
import { shareLinkEndpoints } from "./shareLinks.ts"

/** @see docs/interface.md#2.1 */
export const ReserveBuildRequest = Schema.Struct({
  operation: Schema.optionalKey(Schema.Never.annotate({ message: 'must be "finalize", or be left out to reserve' })),
  owner: OwnerName,
  repo: RepoName,
  branch: Name,
  platform: Platform,
  commitSha: CommitSha,
  app: Schema.optionalKey(AppName),
  ...bundleFields,
  isTransformed: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  files: DeclaredFiles.annotate(lengthOf("files")).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  ...ciDetails
}).annotate({ identifier: "ReserveBuildRequest" })

/** @see docs/interface.md#2.3 */
export const FinalizeBuildRequest = Schema.Struct({
  operation: Schema.Literal("finalize"),
  token: text(1024)
}).annotate({ identifier: "FinalizeBuildRequest" })

const mentionsOperation = (issue: SchemaIssue.Issue): boolean => {
  switch (issue._tag) {
    case "Pointer":
      return issue.path[0] === "operation"
    case "Composite":
      return issue.issues.some(mentionsOperation)
    case "Encoding":
    case "Filter":
      return mentionsOperation(issue.issue)
    default:
      return false
  }
}

/** The issues of the intended body, from those of both bodies. */
const meant = (issue: SchemaIssue.Issue): SchemaIssue.Issue => {
  if (issue._tag === "Encoding") return meant(issue.issue)
  if (issue._tag !== "AnyOf") return issue
  const [asFinalize, asReserve] = issue.issues
  if (asFinalize === undefined || asReserve === undefined) return issue
  return mentionsOperation(asReserve) ? asFinalize : asReserve
}

/** Either body. An issue refers to the body that `operation` selects. */
export const BuildsRequest = Schema.Union([FinalizeBuildRequest, ReserveBuildRequest])
  .annotate({
    message: "must be a JSON object"
  })
  .pipe(Schema.catchDecoding((issue) => Effect.fail(meant(issue))))

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
const buildUrl = (viewerUrl: string, id: string): string => `${viewerUrl}/builds/${id}`

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

const post = HttpApiEndpoint.post("post", "/", {
  headers: idempotencyHeader,
  payload: BuildsRequest,
  success: HttpApiSchema.WithHeaders(Schema.Union([ReserveBuildResponse, BuildRow]).pipe(HttpApiSchema.status(201)), {
    location: Schema.String
  }),
  error: [NotFound, ReservationExpired, UploadIncomplete, IdempotencyConflict, RateLimited, QuotaExceeded]
})
  .annotateMerge(
    OpenApi.annotations({
      summary: "Reserve or finalize a build",
      description:
        'Without `operation`, reserves upload slots for a build. With `"operation": "finalize"`, verifies what ' +
        "was uploaded and makes the build ready."
    })
  )
  .annotate(CrossFieldIssues, repeatedFilePaths)

const latest = HttpApiEndpoint.get("latest", "/", {
  query: {
    owner: OwnerName,
    repo: RepoName,
    branch: Name,
    platform: Platform.pipe(Schema.withDecodingDefaultKey(Effect.succeed("ios" as const))),
    app: Schema.optionalKey(AppName.annotate({ description: "Only builds of this app; without it, of all." }))
  },
  success: BuildRow,
  error: NotFound
}).annotateMerge(OpenApi.annotations({ summary: "Read the latest build of a branch" }))

const buildParam = BuildId.check(isId("must be an id"))

const read = HttpApiEndpoint.get("read", "/:id", {
  params: { id: buildParam },
  success: BuildRow,
  error: NotFound
}).annotateMerge(OpenApi.annotations({ summary: "Read a build by its id" }))

const shareLinks = shareLinkEndpoints(buildParam, { what: "a build", scopes: ["builds"], refusals: [NotFound] })

/** @see docs/interface.md#4.1, #4.3–4.5 */
export class BuildsGroup extends protect(
  ["builds"],
  HttpApiGroup.make("builds")
    .add(post, latest, read, deletion(buildParam, "a build", "builds"), ...shareLinks)
    .prefix("/api/v1/builds")
) {}
