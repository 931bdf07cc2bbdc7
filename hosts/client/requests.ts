/**
 * The input of requests, as it is sent. The server's schemas are written in Effect, which nothing here may need, so
 * these are types of their own; `testing/sameTypes.ts` holds them equal to the schemas.
 */

/** The platform that a bundle is for. @see docs/interface.md#2.1 */
export type Platform = "ios" | "android"

/** Which tool ran a test. @see docs/interface.md#2.7 */
export type TestRunKind = "maestro" | "detox"

/** How a test run is stored: passed when exactly that was sent, else failed. @see docs/interface.md#2.7 */
export type TestRunStatus = "passed" | "failed"

/** What a recording of a preview is. */
export type RecordingKind = "video" | "screenshot" | "events" | "log" | "other"

/** The screen that a bundle is meant for, in logical pixels. */
export interface DeviceSpec {
  readonly width: number
  readonly height: number
}

/** A file beside the bundle. */
export interface DeclaredFile {
  /** A relative path with `/` between its segments. */
  readonly path: string
  readonly sizeBytes: number
  readonly contentType: string
  /** The SHA-256 of the uncompressed bytes, 64 lower-case hexadecimal digits. */
  readonly contentHash?: string
}

/** A recording beside the bundle. Both times are on the clock that all recordings of a preview share. */
export interface Recording {
  readonly name: string
  readonly kind: RecordingKind
  readonly sizeBytes: number
  readonly contentType: string
  /** As that of a file. */
  readonly contentHash?: string
  readonly startedAtMs?: number
  readonly durationMs?: number
}

/** What CI found when it opened the app before its upload; an extension of the interface. */
export interface ReplayCheck {
  readonly firstScreen: "drawn" | "not_drawn" | "not_checked"
  /** Why nothing was drawn or checked, or the first error of an app that is drawn: at most 1,000 characters. */
  readonly reason?: string
  /** The components that are drawn as labelled boxes: at most 100. */
  readonly boxes?: ReadonlyArray<string>
  /** What else the app asked for and a replay doesn't have: at most 100. */
  readonly missing?: ReadonlyArray<string>
}

/** What builds and previews say of their bundle beside its bytes. @see docs/interface.md#2.1 */
export interface BundleDetails {
  /** The URL of the origin that served the bundle. */
  readonly bundleOrigin?: string
  /** The name of the entry module. */
  readonly entry?: string
  /** Whether the bundle is transformed already: false by default. */
  readonly isTransformed?: boolean
  readonly deviceSpec?: DeviceSpec
  /** What CI found when it opened the app; an extension of the interface. */
  readonly replayCheck?: ReplayCheck
}

/** The bytes of the bundle that a reservation announces. */
export interface DeclaredBundle {
  /** The SHA-256 of the uncompressed bytes, 64 lower-case hexadecimal digits. */
  readonly contentHash: string
  readonly bundleSizeBytes: number
  readonly bundleContentType: string
}

/** What CI knows of a commit and of its own job; extensions of the interface. */
export interface CiDetails {
  /** The beginning of the message of the commit, at most 500 characters. */
  readonly commitMessage?: string
  /** The name of the author of the commit. */
  readonly author?: string
  /** The branch that the pull request is to be merged into. */
  readonly base?: string
  /** The job of the CI run that sends this. A later attempt at the CI run replaces runs of the same job only. */
  readonly job?: string
}

/** Which build it is: uploading for the same again updates it. @see docs/interface.md#3 */
export interface BuildIdentity {
  readonly owner: string
  readonly repo: string
  readonly branch: string
  readonly platform: Platform
  /** 40 hexadecimal digits. */
  readonly commitSha: string
  /** One of several apps of the repository, at most 100 characters. An extension of the interface. */
  readonly app?: string
}

/** Reserves a build. @see docs/interface.md#2.1 */
export interface ReserveBuild extends BuildIdentity, BundleDetails, DeclaredBundle, CiDetails {
  readonly files?: ReadonlyArray<DeclaredFile>
}

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
export interface GitProvenance extends CiDetails {
  readonly owner?: string
  readonly repo?: string
  readonly branch?: string
  readonly commitSha?: string
  /** The number of a pull request. */
  readonly pr?: number
  /** One of several apps of the repository, at most 100 characters. */
  readonly app?: string
}

/** What a preview says of itself beside its bytes. @see docs/interface.md#2.6 */
export interface PreviewDetails extends GitProvenance, BundleDetails {
  readonly platform?: Platform
  /** `test_run` bills the upload as a test run, and needs the scope `test_runs` too. */
  readonly billingKind?: string
}

/** Reserves a preview. @see docs/interface.md#2.6 */
export interface ReservePreview extends PreviewDetails, DeclaredBundle {
  readonly files?: ReadonlyArray<DeclaredFile>
  readonly recordings?: ReadonlyArray<Recording>
}

/** The device or simulator that a test ran on, as far as it is known. */
export interface RunDevice {
  readonly name?: string
  readonly platform?: string
  readonly osVersion?: string
}

/** One attempt at a test that its runner tries again after a failure. */
export interface RunAttempt {
  readonly status: TestRunStatus
  readonly durationMs?: number
  readonly failureMessage?: string
}

/** The fields that the registration of a test run and its answer have alike. */
export interface TestRunReport extends CiDetails {
  readonly kind: TestRunKind
  readonly name?: string
  readonly prompt?: string
  readonly owner: string
  readonly repo: string
  /** The preview's by default; so is `commitSha`. */
  readonly branch?: string
  readonly commitSha?: string
  readonly previewShareId: string
  readonly stepCount?: number
  readonly durationMs?: number
  readonly failureMessage?: string
  /** Counts from 0. */
  readonly failedStepIndex?: number
  /** Where the test ran, such as `ci`. */
  readonly source?: string
  /** The number of a pull request. */
  readonly pr?: number
  /** An instant in ISO 8601. */
  readonly startedAt?: string
  readonly device?: RunDevice
  /** Every attempt at the test, the first one first; at most 20. */
  readonly attempts?: ReadonlyArray<RunAttempt>
  /** The file that the test is written in. */
  readonly file?: string
  /** At most 50, of 100 characters each. */
  readonly tags?: ReadonlyArray<string>
  /** One of several apps of the repository, at most 100 characters: part of the identity of the test. */
  readonly app?: string
}

/** Registers a test run; `name`, `prompt` or both. @see docs/interface.md#2.7 */
export interface RegisterTestRun extends TestRunReport {
  /** Any JSON value; exactly `"passed"` is a pass. */
  readonly status?: unknown
}

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
export interface AnnounceImport extends CiDetails {
  readonly owner: string
  readonly repo: string
  /** The same for the same import of each attempt at the CI run; at most 100 characters. */
  readonly id: string
  /** At most 100 characters. */
  readonly app?: string
  /** How many runs the import registers. */
  readonly expectedRuns: number
  /** How many it registered; closes it. */
  readonly registeredRuns?: number
  /** How many imports the CI run has, where that is known. */
  readonly expectedImports?: number
  readonly branch?: string
  readonly commitSha?: string
  /** The number of a pull request. */
  readonly pr?: number
}

/** How long a share link lives: 604,800 seconds, a week by default; from a minute to 90 days. */
export interface CreateShareLink {
  readonly expiresInSeconds?: number
}

/** Where a list of share links continues: the `nextCursor` of an earlier page. */
export interface ListShareLinks {
  readonly cursor?: string
}
