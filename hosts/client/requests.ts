/** The input of requests, as it is sent. `schemas.ts`, which `npm run api` writes from the OpenAPI document, has the fields. */
import type * as schemas from "./schemas.ts"

/** The platform that a bundle is for. @see docs/interface.md#2.1 */
export type Platform = schemas.ReserveBuildRequest["platform"]

/** Which tool ran a test. @see docs/interface.md#2.7 */
export type TestRunKind = schemas.TestRunRecord["kind"]

/** How a test run is stored: passed when exactly that was sent, else failed. @see docs/interface.md#2.7 */
export type TestRunStatus = schemas.TestRunRecord["status"]

/** The screen that a bundle is meant for, in logical pixels. */
export type DeviceSpec = NonNullable<schemas.ReserveBuildRequest["deviceSpec"]>

/** A file beside the bundle. */
export type DeclaredFile = NonNullable<schemas.ReserveBuildRequest["files"]>[number]

/** A recording beside the bundle. Both times are on the clock that all recordings of a preview share. */
export type Recording = NonNullable<schemas.ReservePreviewRequest["recordings"]>[number]

/** What a recording of a preview is. */
export type RecordingKind = Recording["kind"]

/** What CI found when it opened the app before its upload; an extension of the interface. */
export type ReplayCheck = NonNullable<schemas.ReserveBuildRequest["replayCheck"]>

/** What builds and previews say of their bundle beside its bytes. @see docs/interface.md#2.1 */
export type BundleDetails = Pick<
  schemas.ReserveBuildRequest,
  "bundleOrigin" | "entry" | "isTransformed" | "deviceSpec" | "replayCheck"
>

/** The bytes of the bundle that a reservation announces. */
export type DeclaredBundle = Pick<schemas.ReserveBuildRequest, "contentHash" | "bundleSizeBytes" | "bundleContentType">

/** What CI knows of a commit and of its own job; extensions of the interface. */
export type CiDetails = Pick<schemas.ReserveBuildRequest, "commitMessage" | "author" | "base" | "job">

/** Which build it is: uploading for the same again updates it. @see docs/interface.md#3 */
export type BuildIdentity = Pick<
  schemas.ReserveBuildRequest,
  "owner" | "repo" | "branch" | "platform" | "commitSha" | "app"
>

/** Reserves a build. @see docs/interface.md#2.1 */
export type ReserveBuild = schemas.ReserveBuildRequest

/** Which build is the latest of a branch; of `ios` by default. @see docs/interface.md#4.4 */
export interface LatestBuild {
  readonly owner: string
  readonly repo: string
  readonly branch: string
  readonly platform?: Platform
  /** Only builds of this app; those of all by default. */
  readonly app?: string
}

/** The provenance of a preview, as far as it is known. With owner and repo, the repository must be the account's. */
export type GitProvenance = schemas.PreviewMetadata["git"]

/** What a preview says of itself beside its bytes. @see docs/interface.md#2.6 */
export type PreviewDetails = Omit<schemas.ReservePreviewRequest, keyof DeclaredBundle | "files" | "recordings">

/** Reserves a preview. @see docs/interface.md#2.6 */
export type ReservePreview = schemas.ReservePreviewRequest

/** The device or simulator that a test ran on, as far as it is known. */
export type RunDevice = NonNullable<schemas.TestRunRecord["device"]>

/** One attempt at a test that its runner tries again after a failure. */
export type RunAttempt = NonNullable<schemas.TestRunRecord["attempts"]>[number]

/** Registers a test run; `name`, `prompt` or both. Exactly the status `"passed"` is a pass. @see docs/interface.md#2.7 */
export type RegisterTestRun = schemas.RegisterTestRunRequest

/** The fields that the registration of a test run and its answer have alike. */
export type TestRunReport = Omit<RegisterTestRun, "status">

/** Which previews to list: those that are ready, without those of test runs. An extension of the interface. */
export interface ListPreviews {
  readonly owner: string
  readonly repo: string
  /** 20 by default; clamped to 1 to 30. */
  readonly limit?: number
  /** The `nextCursor` of an earlier page. */
  readonly cursor?: string
}

/** Which test runs to list. @see docs/interface.md#4.10 */
export interface ListTestRuns {
  readonly org: string
  readonly repo: string
  readonly branch?: string
  readonly kind?: TestRunKind
  readonly status?: TestRunStatus
  readonly source?: string
  /** `github:1234567`: the runs of every attempt at a CI run, whose sources are `github:1234567/1`, `github:1234567/2` and so on. */
  readonly ciRun?: string
  readonly pr?: number
  /** Only runs of this app. */
  readonly app?: string
  /** 20 by default; clamped to 1 to 100. */
  readonly limit?: number
  /** The `nextCursor` of an earlier page. */
  readonly cursor?: string
}

/** Which tests of a repository to list. */
export interface ListTests {
  readonly org: string
  readonly repo: string
  /** The branch whose results count; those of all branches by default. */
  readonly branch?: string
  /** The status of the last result. */
  readonly status?: TestRunStatus
  /** Only tests with a flaky result among the last 100. */
  readonly flaky?: true
  /** Only tests of this app. */
  readonly app?: string
  /** 50 by default; clamped to 1 to 100. */
  readonly limit?: number
  /** The `cursor` of an earlier page. */
  readonly cursor?: string
}

/** Of which branch to read a test's history; of all by default. */
export interface ReadTest {
  readonly branch?: string
}

/** What to compare a CI run with. */
export interface ReadSource {
  readonly org: string
  readonly repo: string
  /** The branch to compare with; the repository's default branch by default. */
  readonly base?: string
  /** Only tests of this app; those of all by default. */
  readonly app?: string
}

/** An import of a CI run: it is open until it is sent again with `registeredRuns`. */
export type AnnounceImport = schemas.AnnounceImportRequest

/** How long a share link lives: 604,800 seconds, a week by default; from a minute to 90 days. */
export type CreateShareLink = schemas.CreateShareLinkRequest

/** Where a list of share links continues: the `nextCursor` of an earlier page. */
export interface ListShareLinks {
  readonly cursor?: string
}
