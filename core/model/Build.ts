import { Schema } from "effect"
import { message, Name, text } from "./Text.ts"
import { AccountId } from "./Account.ts"
import { BundleOrigin, ContentHash, ContentType, DeclaredFiles, DeviceSpec, Digests, SizeBytes } from "./Artifact.ts"
import { RepositoryId, type Repository } from "./Repository.ts"
import { Reservation, ReservationId } from "./Reservation.ts"

/** The names of modules, components, commands and methods: `RNFSManager`. */
const Names = Schema.Array(text(200)).check(Schema.isMaxLength(100, { message: "must have at most 100 items" }).abort())

/**
 * What CI found when it opened the app before its upload. It is what the uploader says: the host opens no app.
 *
 * - `reason`: why nothing was drawn or checked, or the first error of an app that is drawn.
 * - `boxes`: the components that are drawn as labelled boxes. `missing`: what else the app asked for and a replay doesn't have.
 */
export const ReplayCheck = Schema.Struct({
  firstScreen: Schema.Literals(["drawn", "not_drawn", "not_checked"]),
  reason: Schema.optionalKey(message(1000)),
  boxes: Schema.optionalKey(Names),
  missing: Schema.optionalKey(Names)
})
export type ReplayCheck = typeof ReplayCheck.Type

/**
 * The name of one of several apps of a repository, at most 100 characters. Absent unless it was sent. It is part of the identity of a
 * test and of a build: two apps have tests and builds of their own.
 */
export const AppName = text(100)

/**
 * What CI knows of a commit and of its own job. Each field is absent unless it was sent, and none is a part of an identity.
 *
 * - `commitMessage`: at most 500 characters of the message of the commit, line breaks included.
 * - `author`: the name of the person who wrote the commit.
 * - `base`: the branch that the pull request is to be merged into.
 * - `job`: the job of the CI run that sent it. A later attempt replaces runs of the same job only, see the rule `attemptsOf`.
 */
export const ciDetails = {
  commitMessage: Schema.optionalKey(message(500)),
  author: Schema.optionalKey(Name),
  base: Schema.optionalKey(Name),
  job: Schema.optionalKey(Name)
}
export type CiDetails = Schema.Struct.Type<typeof ciDetails>

/** The id of a build. It never changes. @see docs/interface.md#3 */
export const BuildId = Schema.String.pipe(Schema.brand("BuildId"))
export type BuildId = typeof BuildId.Type

export const Platform = Schema.Literals(["ios", "android"])
export type Platform = typeof Platform.Type

/** A commit hash, 40 hexadecimal digits. */
export const CommitSha = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{40}$/u, { message: "must be a commit hash of 40 hexadecimal digits" })
)

/** The fields of a bundle that builds and previews declare alike; `replayCheck` is an extension. @see docs/interface.md#2.1 */
export const bundleFields = {
  contentHash: ContentHash,
  bundleSizeBytes: SizeBytes.check(Schema.isGreaterThanOrEqualTo(1, { message: "must be at least 1 byte" })),
  bundleContentType: ContentType,
  bundleOrigin: Schema.optionalKey(BundleOrigin),
  entry: Schema.optionalKey(Name),
  deviceSpec: Schema.optionalKey(DeviceSpec),
  replayCheck: Schema.optionalKey(ReplayCheck)
}

/** What one upload of a build declares. */
export const BuildDeclaration = Schema.Struct({
  ...bundleFields,
  isTransformed: Schema.Boolean,
  files: DeclaredFiles,
  ...ciDetails
})
export type BuildDeclaration = typeof BuildDeclaration.Type

/**
 * A reservation of a build's upload. `supersededAt` is when another upload became the build's current one. `digests` is set
 * together with `finalizedAt`.
 */
export const BuildReservation = Schema.Struct({
  ...Reservation.fields,
  supersededAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  buildId: BuildId,
  declaration: BuildDeclaration,
  digests: Schema.optionalKey(Digests)
})
export type BuildReservation = typeof BuildReservation.Type

/** What identifies a build within its repository. Uploads with the same identity are of one build. @see docs/interface.md#3 */
export const BuildIdentity = Schema.Struct({
  branch: Name,
  platform: Platform,
  commitSha: CommitSha,
  app: Schema.optionalKey(AppName)
})
export type BuildIdentity = typeof BuildIdentity.Type

/**
 * A build: its identity, which never changes, and the state of its uploads.
 *
 * - `currentUpload`: the current upload, whose fields and bytes the build shows: the last finalized one, or the last reserved one if
 *   the build was never ready.
 * - `readyAt`: when it first became ready. `readyBy`: the last reserved of its finalized uploads.
 * - `reservedBy`, `reservedUntil`: its last reservation and when that ends.
 * - `keptAt`: since when it is kept, regardless of retention rules.
 * - `version` is incremented by each change except to `keptAt`.
 */
export const Build = Schema.Struct({
  id: BuildId,
  accountId: AccountId,
  repositoryId: RepositoryId,
  branch: Name,
  platform: Platform,
  commitSha: CommitSha,
  app: Schema.optionalKey(AppName),
  createdAt: Schema.DateTimeUtcFromString,
  currentUpload: ReservationId,
  readyAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  readyBy: Schema.optionalKey(ReservationId),
  reservedBy: ReservationId,
  reservedUntil: Schema.DateTimeUtcFromString,
  keptAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  version: Schema.Int
})
export type Build = typeof Build.Type

/** `uploading`: never ready, with an open reservation. `expired`: never ready, without one. */
export const BuildStatus = Schema.Literals(["uploading", "ready", "expired"])
export type BuildStatus = typeof BuildStatus.Type

/** A build with the names of its repository and its current upload. */
export interface BuildView {
  readonly build: Build
  readonly repository: Pick<Repository, "owner" | "repo">
  readonly upload: BuildReservation
}
