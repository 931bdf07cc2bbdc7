import { Schema } from "effect"
import { ContentHash, ContentType, DeclaredFiles, Digests, SizeBytes } from "./Artifact.ts"
import { AppName, bundleFields, ciDetails, CommitSha, Platform } from "./Build.ts"
import { OwnerName, RepoName, RepositoryId } from "./Repository.ts"
import { Reservation } from "./Reservation.ts"
import { atMost, Name, wellFormed } from "./Text.ts"

/** The id of a preview: 22 random base62 characters, so that nobody can guess it. @see docs/interface.md#2.6 */
export const ShareId = Schema.String.pipe(Schema.brand("ShareId"))
export type ShareId = typeof ShareId.Type

export const RecordingKind = Schema.Literals(["video", "screenshot", "events", "log", "other"])
export type RecordingKind = typeof RecordingKind.Type

const milliseconds = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, { message: "must be milliseconds, 0 or more" })
)

/** A recording declared beside the bundle. `startedAtMs` and `durationMs` are on the clock that all of them share. */
export const Recording = Schema.Struct({
  name: Name,
  kind: RecordingKind,
  sizeBytes: SizeBytes,
  contentType: ContentType,
  contentHash: Schema.optionalKey(ContentHash),
  startedAtMs: Schema.optionalKey(milliseconds),
  durationMs: Schema.optionalKey(milliseconds)
})
export type Recording = typeof Recording.Type

/** The number of a pull request. */
export const PullRequest = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 }, { message: "must be the number of a pull request, 1 or more" })
)

/** The source of the bundle. All fields are optional. */
export const GitProvenance = Schema.Struct({
  owner: Schema.optionalKey(OwnerName),
  repo: Schema.optionalKey(RepoName),
  branch: Schema.optionalKey(Name),
  commitSha: Schema.optionalKey(CommitSha),
  pr: Schema.optionalKey(PullRequest),
  app: Schema.optionalKey(AppName),
  ...ciDetails
})
export type GitProvenance = typeof GitProvenance.Type

/** The billing category of the upload; any string. @see docs/interface.md#2.6 */
export const BillingKind = Schema.String.check(atMost(1024), ...wellFormed)

/** The declaration of a preview's upload. @see docs/interface.md#2.6 */
export const PreviewDeclaration = Schema.Struct({
  ...bundleFields,
  isTransformed: Schema.Boolean,
  platform: Schema.optionalKey(Platform),
  files: DeclaredFiles,
  recordings: Schema.Array(Recording),
  git: GitProvenance,
  billingKind: Schema.optionalKey(BillingKind)
})
export type PreviewDeclaration = typeof PreviewDeclaration.Type

/** The value of `billingKind` that marks a billed test run. @see docs/interface.md#2.6 */
export const billedTestRun = "test_run"

/**
 * A preview: its only reservation, and the declaration of that. `repositoryId` is set if it was reserved for a repository of the
 * account, and `keptAt` while it is kept regardless of retention rules. `digests` is set together with `finalizedAt`.
 */
export const Preview = Schema.Struct({
  ...Reservation.fields,
  shareId: ShareId,
  repositoryId: Schema.optionalKey(RepositoryId),
  keptAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  declaration: PreviewDeclaration,
  digests: Schema.optionalKey(Digests)
})
export type Preview = typeof Preview.Type

/** `uploading`: not finalized, its reservation open. `expired`: not finalized, its reservation expired. */
export const PreviewStatus = Schema.Literals(["uploading", "ready", "expired"])
export type PreviewStatus = typeof PreviewStatus.Type
