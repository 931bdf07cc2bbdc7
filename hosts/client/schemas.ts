/** The bodies of requests and responses: written by `npm run api` from the OpenAPI document. */

/** The schema `AnnounceImportRequest` of the OpenAPI document. */
export interface AnnounceImportRequest {
  /** The owner of the repository. */
  readonly owner: string
  /** The name of the repository. */
  readonly repo: string
  /** Identifies the import in its CI run, and is the same in each attempt. */
  readonly id: string
  /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
  readonly job?: string
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** How many runs the import registers. */
  readonly expectedRuns: number
  /** How many runs the import has registered; closes it. */
  readonly registeredRuns?: number
  /** How many imports the CI run has. */
  readonly expectedImports?: number
  /** The branch in Git. */
  readonly branch?: string
  /** The SHA of the commit, 40 hexadecimal digits. */
  readonly commitSha?: string
  /** The number of the pull request. */
  readonly pr?: number
  /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
  readonly commitMessage?: string
  /** An extension of the interface. The name of the commit's author. */
  readonly author?: string
  /** An extension of the interface. The branch that the pull request is to be merged into. */
  readonly base?: string
}

/** The schema `BuildRow` of the OpenAPI document. */
export interface BuildRow {
  /** The id. */
  readonly id: string
  /** The page of the upload. */
  readonly url: string
  /** The page that runs the app. */
  readonly previewUrl?: string
  /** The status of the upload. */
  readonly status: "uploading" | "ready" | "expired"
  /** The owner of the repository. */
  readonly owner: string
  /** The name of the repository. */
  readonly repo: string
  /** The branch in Git. */
  readonly branch: string
  /** The platform of the app. */
  readonly platform: "ios" | "android"
  /** The SHA of the commit, 40 hexadecimal digits. */
  readonly commitSha: string
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
  readonly contentHash: string
  /** The size of the bundle as uploaded, in bytes. */
  readonly bundleSizeBytes: number
  /** The MIME type of the bundle. */
  readonly bundleContentType: string
  /** The URL of the origin that the bundle was served from. */
  readonly bundleOrigin?: string
  /** The name of the entry module. */
  readonly entry?: string
  /** Whether the bundle is already transformed. */
  readonly isTransformed: boolean
  /** The size of the screen that the app is made for. */
  readonly deviceSpec?: {
    /** The width of the screen, in points. */
    readonly width: number
    /** The height of the screen, in points. */
    readonly height: number
  }
  /** An extension of the interface. What CI found when it opened the app before the upload. */
  readonly replayCheck?: {
    /** An extension of the interface. Whether a replay draws the first screen of the app. */
    readonly firstScreen: "drawn" | "not_drawn" | "not_checked"
    /** An extension of the interface. Why nothing was drawn or checked, or the first error of the app. */
    readonly reason?: string
    /** An extension of the interface. The components that a replay draws as labelled boxes. */
    readonly boxes?: ReadonlyArray<string>
    /** An extension of the interface. What else the app asked for, and a replay doesn't have. */
    readonly missing?: ReadonlyArray<string>
  }
  /** The files beside the bundle. */
  readonly files: ReadonlyArray<{
    /** The path, relative and with slashes. */
    readonly path: string
    /** The size, in bytes. */
    readonly sizeBytes: number
    /** The MIME type, to be sent as the header `content-type` of the PUT. */
    readonly contentType: string
    /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
    readonly contentHash?: string
  }>
  /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
  readonly commitMessage?: string
  /** An extension of the interface. The name of the commit's author. */
  readonly author?: string
  /** An extension of the interface. The branch that the pull request is to be merged into. */
  readonly base?: string
  /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
  readonly job?: string
  /** When it was created. */
  readonly createdAt: string
  /** When the upload was last finalized or reserved. */
  readonly updatedAt: string
  /** When the upload was finalized. */
  readonly readyAt?: string
}

/** The schema `BundleSlot` of the OpenAPI document. */
export interface BundleSlot {
  /** The URL for the PUT; it expires with the reservation. */
  readonly putUrl: string
  /** The method of the upload. */
  readonly method: "PUT"
  /** The object in the store. */
  readonly objectKey: string
  /** The MIME type, to be sent as the header `content-type` of the PUT. */
  readonly contentType: string
  /** The size, in bytes. */
  readonly sizeBytes: number
  /** When it expires. */
  readonly expiresAt: string
  /** `true` if the account has these bytes already; a PUT may be omitted. */
  readonly uploaded?: true
}

/** The schema `CreateShareLinkRequest` of the OpenAPI document. */
export interface CreateShareLinkRequest {
  /** The lifetime of the link, in seconds. */
  readonly expiresInSeconds?: number
}

/** The schema `CreateShareLinkResponse` of the OpenAPI document. */
export interface CreateShareLinkResponse {
  /** The id. */
  readonly id: string
  /** The link; it is shown only here. */
  readonly url: string
  /** When it was created. */
  readonly createdAt: string
  /** When it expires. */
  readonly expiresAt: string
}

/** The schema `FileSlot` of the OpenAPI document. */
export interface FileSlot {
  /** The URL for the PUT; it expires with the reservation. */
  readonly putUrl: string
  /** The method of the upload. */
  readonly method: "PUT"
  /** The object in the store. */
  readonly objectKey: string
  /** The MIME type, to be sent as the header `content-type` of the PUT. */
  readonly contentType: string
  /** The size, in bytes. */
  readonly sizeBytes: number
  /** When it expires. */
  readonly expiresAt: string
  /** `true` if the account has these bytes already; a PUT may be omitted. */
  readonly uploaded?: true
  /** The path, relative and with slashes. */
  readonly path: string
}

/** The schema `ImportsRecord` of the OpenAPI document. */
export interface ImportsRecord {
  /** Whether all imports have ended, and whether what is missing may still come. */
  readonly state: "complete" | "incomplete" | "interrupted"
  /** How many imports the CI run has. */
  readonly expectedImports?: number
  /** How many imports are complete. */
  readonly completedImports: number
  /** The imports that are not complete. */
  readonly missing: ReadonlyArray<{
    /** The id. */
    readonly id: string
    /** Whether it is open, or registered too few runs, or is open for a day. */
    readonly state: "open" | "short" | "interrupted"
    /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
    readonly job?: string
    /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
    readonly app?: string
    /** The attempt at the CI run, as its source has it. */
    readonly attempt?: string
    /** How many runs the import registers. */
    readonly expectedRuns: number
    /** How many runs the import has registered; closes it. */
    readonly registeredRuns?: number
    /** When the import was opened. */
    readonly openedAt: string
  }>
}

/** The schema `PreviewList` of the OpenAPI document. */
export interface PreviewList {
  /** The previews, newest first. */
  readonly previews: ReadonlyArray<PreviewListItem>
  /** The `cursor` of the next page; absent on the last one. */
  readonly nextCursor?: string
}

/** The schema `PreviewListItem` of the OpenAPI document. */
export interface PreviewListItem {
  /** The id of the preview. */
  readonly shareId: string
  /** The page of the upload. */
  readonly url: string
  /** The platform of the app. */
  readonly platform?: "ios" | "android"
  /** The size, in bytes. */
  readonly sizeBytes: number
  /** Where the preview comes from in Git. */
  readonly git: {
    /** The owner of the repository. */
    readonly owner?: string
    /** The name of the repository. */
    readonly repo?: string
    /** The branch in Git. */
    readonly branch?: string
    /** The SHA of the commit, 40 hexadecimal digits. */
    readonly commitSha?: string
    /** The number of the pull request. */
    readonly pr?: number
    /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
    readonly app?: string
    /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
    readonly commitMessage?: string
    /** An extension of the interface. The name of the commit's author. */
    readonly author?: string
    /** An extension of the interface. The branch that the pull request is to be merged into. */
    readonly base?: string
    /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
    readonly job?: string
  }
  /** An extension of the interface. What CI found when it opened the app before the upload. */
  readonly replayCheck?: {
    /** An extension of the interface. Whether a replay draws the first screen of the app. */
    readonly firstScreen: "drawn" | "not_drawn" | "not_checked"
    /** An extension of the interface. Why nothing was drawn or checked, or the first error of the app. */
    readonly reason?: string
    /** An extension of the interface. The components that a replay draws as labelled boxes. */
    readonly boxes?: ReadonlyArray<string>
    /** An extension of the interface. What else the app asked for, and a replay doesn't have. */
    readonly missing?: ReadonlyArray<string>
  }
  /** When it was created. */
  readonly createdAt: string
  /** When the upload was finalized. */
  readonly readyAt?: string
}

/** The schema `PreviewMetadata` of the OpenAPI document. */
export interface PreviewMetadata {
  /** The id of the preview. */
  readonly shareId: string
  /** The page of the upload. */
  readonly url: string
  /** The status of the upload. */
  readonly status: "uploading" | "ready" | "expired"
  /** The device. */
  readonly device: {
    /** The platform of the device. */
    readonly platform?: "ios" | "android"
    /** The width of the screen, in points. */
    readonly width?: number
    /** The height of the screen, in points. */
    readonly height?: number
  }
  /** The JavaScript bundle. */
  readonly bundle: {
    /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
    readonly contentHash: string
    /** The size, in bytes. */
    readonly sizeBytes: number
    /** The MIME type, to be sent as the header `content-type` of the PUT. */
    readonly contentType: string
    /** The URL of the origin that the bundle was served from. */
    readonly origin?: string
    /** The name of the entry module. */
    readonly entry?: string
    /** Whether the bundle is already transformed. */
    readonly isTransformed: boolean
    /** Opens the bundle for the account. */
    readonly url?: string
  }
  /** The files beside the bundle. */
  readonly files: ReadonlyArray<{
    /** The path, relative and with slashes. */
    readonly path: string
    /** The size, in bytes. */
    readonly sizeBytes: number
    /** The MIME type, to be sent as the header `content-type` of the PUT. */
    readonly contentType: string
    /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
    readonly contentHash?: string
    /** Opens the file for the account. */
    readonly url?: string
  }>
  /** What was recorded while the app ran. */
  readonly recordings: ReadonlyArray<{
    /** The name of the recording. */
    readonly name: string
    /** What was recorded. */
    readonly kind: "video" | "screenshot" | "events" | "log" | "other"
    /** The size, in bytes. */
    readonly sizeBytes: number
    /** The MIME type, to be sent as the header `content-type` of the PUT. */
    readonly contentType: string
    /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
    readonly contentHash?: string
    /** When the recording started, in milliseconds since the start of the run. */
    readonly startedAtMs?: number
    /** The duration, in milliseconds. */
    readonly durationMs?: number
    /** Opens the recording for the account. */
    readonly url?: string
  }>
  /** Where the preview comes from in Git. */
  readonly git: {
    /** The owner of the repository. */
    readonly owner?: string
    /** The name of the repository. */
    readonly repo?: string
    /** The branch in Git. */
    readonly branch?: string
    /** The SHA of the commit, 40 hexadecimal digits. */
    readonly commitSha?: string
    /** The number of the pull request. */
    readonly pr?: number
    /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
    readonly app?: string
    /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
    readonly commitMessage?: string
    /** An extension of the interface. The name of the commit's author. */
    readonly author?: string
    /** An extension of the interface. The branch that the pull request is to be merged into. */
    readonly base?: string
    /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
    readonly job?: string
  }
  /** The account that the key belongs to. */
  readonly account: {
    /** The id of the account. */
    readonly id: string
    /** The name of the account. */
    readonly name: string
  }
  /** `test_run` counts the preview as a billed test run. */
  readonly billingKind?: string
  /** An extension of the interface. What CI found when it opened the app before the upload. */
  readonly replayCheck?: {
    /** An extension of the interface. Whether a replay draws the first screen of the app. */
    readonly firstScreen: "drawn" | "not_drawn" | "not_checked"
    /** An extension of the interface. Why nothing was drawn or checked, or the first error of the app. */
    readonly reason?: string
    /** An extension of the interface. The components that a replay draws as labelled boxes. */
    readonly boxes?: ReadonlyArray<string>
    /** An extension of the interface. What else the app asked for, and a replay doesn't have. */
    readonly missing?: ReadonlyArray<string>
  }
  /** When it was created. */
  readonly createdAt: string
  /** When the upload was finalized. */
  readonly readyAt?: string
}

/** The schema `RecordingSlot` of the OpenAPI document. */
export interface RecordingSlot {
  /** The URL for the PUT; it expires with the reservation. */
  readonly putUrl: string
  /** The method of the upload. */
  readonly method: "PUT"
  /** The object in the store. */
  readonly objectKey: string
  /** The MIME type, to be sent as the header `content-type` of the PUT. */
  readonly contentType: string
  /** The size, in bytes. */
  readonly sizeBytes: number
  /** When it expires. */
  readonly expiresAt: string
  /** `true` if the account has these bytes already; a PUT may be omitted. */
  readonly uploaded?: true
  /** The name of the recording. */
  readonly name: string
}

/** The schema `RegisterTestRunRequest` of the OpenAPI document. */
export interface RegisterTestRunRequest {
  /** The kind of tests. */
  readonly kind: "maestro" | "detox"
  /** The name of the test. */
  readonly name?: string
  /** What the test was asked to do. */
  readonly prompt?: string
  /** The branch in Git. */
  readonly branch?: string
  /** The SHA of the commit, 40 hexadecimal digits. */
  readonly commitSha?: string
  /** How many steps the test has. */
  readonly stepCount?: number
  /** The duration, in milliseconds. */
  readonly durationMs?: number
  /** Why the test failed, at most 16,384 characters. ANSI codes and control characters are removed, and a longer text ends with `… (cut)`. */
  readonly failureMessage?: string
  /** The step that failed, counted from 0. */
  readonly failedStepIndex?: number
  /** The CI run. */
  readonly source?: string
  /** The number of the pull request. */
  readonly pr?: number
  /** An extension of the interface. The device of the test. */
  readonly device?: {
    /** The name of the device. */
    readonly name?: string
    /** The platform of the device. */
    readonly platform?: string
    /** The version of the operating system. */
    readonly osVersion?: string
  }
  /** An extension of the interface. Every attempt at the test in this run, the last one last. */
  readonly attempts?: ReadonlyArray<{
    /** How the attempt ended. */
    readonly status: "passed" | "failed"
    /** The duration, in milliseconds. */
    readonly durationMs?: number
    /** Why the test failed, at most 16,384 characters. ANSI codes and control characters are removed, and a longer text ends with `… (cut)`. */
    readonly failureMessage?: string
  }>
  /** An extension of the interface. The file of the test. */
  readonly file?: string
  /** An extension of the interface. The tags of the test. */
  readonly tags?: ReadonlyArray<string>
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
  readonly commitMessage?: string
  /** An extension of the interface. The name of the commit's author. */
  readonly author?: string
  /** An extension of the interface. The branch that the pull request is to be merged into. */
  readonly base?: string
  /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
  readonly job?: string
  /** The status of the test run. */
  readonly status?: unknown
  /** The owner of the repository. */
  readonly owner: string
  /** The name of the repository. */
  readonly repo: string
  /** The `shareId` of the preview with the recordings. */
  readonly previewShareId: string
  /** When the run started. */
  readonly startedAt?: string
}

/** The schema `ReserveBuildRequest` of the OpenAPI document. */
export interface ReserveBuildRequest {
  /** The owner of the repository. */
  readonly owner: string
  /** The name of the repository. */
  readonly repo: string
  /** The branch in Git. */
  readonly branch: string
  /** The platform of the app. */
  readonly platform: "ios" | "android"
  /** The SHA of the commit, 40 hexadecimal digits. */
  readonly commitSha: string
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
  readonly contentHash: string
  /** The size of the bundle as uploaded, in bytes. */
  readonly bundleSizeBytes: number
  /** The MIME type of the bundle. */
  readonly bundleContentType: string
  /** The URL of the origin that the bundle was served from. */
  readonly bundleOrigin?: string
  /** The name of the entry module. */
  readonly entry?: string
  /** The size of the screen that the app is made for. */
  readonly deviceSpec?: {
    /** The width of the screen, in points. */
    readonly width: number
    /** The height of the screen, in points. */
    readonly height: number
  }
  /** An extension of the interface. What CI found when it opened the app before the upload. */
  readonly replayCheck?: {
    /** An extension of the interface. Whether a replay draws the first screen of the app. */
    readonly firstScreen: "drawn" | "not_drawn" | "not_checked"
    /** An extension of the interface. Why nothing was drawn or checked, or the first error of the app. */
    readonly reason?: string
    /** An extension of the interface. The components that a replay draws as labelled boxes. */
    readonly boxes?: ReadonlyArray<string>
    /** An extension of the interface. What else the app asked for, and a replay doesn't have. */
    readonly missing?: ReadonlyArray<string>
  }
  /** Whether the bundle is already transformed. */
  readonly isTransformed?: boolean
  /** The files beside the bundle. */
  readonly files?: ReadonlyArray<{
    /** The path, relative and with slashes. */
    readonly path: string
    /** The size, in bytes. */
    readonly sizeBytes: number
    /** The MIME type, to be sent as the header `content-type` of the PUT. */
    readonly contentType: string
    /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
    readonly contentHash?: string
  }>
  /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
  readonly commitMessage?: string
  /** An extension of the interface. The name of the commit's author. */
  readonly author?: string
  /** An extension of the interface. The branch that the pull request is to be merged into. */
  readonly base?: string
  /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
  readonly job?: string
}

/** The schema `ReserveBuildResponse` of the OpenAPI document. */
export interface ReserveBuildResponse {
  /** The id. */
  readonly id: string
  /** The token of the reservation, to finalize with. */
  readonly token: string
  /** When it expires. */
  readonly expiresAt: string
  /** The page of the upload. */
  readonly url: string
  /** Where to PUT the declared bytes. */
  readonly slots: {
    /** The JavaScript bundle. */
    readonly bundle: BundleSlot
    /** The files beside the bundle. */
    readonly files: ReadonlyArray<FileSlot>
  }
}

/** The schema `ReservePreviewRequest` of the OpenAPI document. */
export interface ReservePreviewRequest {
  /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
  readonly contentHash: string
  /** The size of the bundle as uploaded, in bytes. */
  readonly bundleSizeBytes: number
  /** The MIME type of the bundle. */
  readonly bundleContentType: string
  /** The URL of the origin that the bundle was served from. */
  readonly bundleOrigin?: string
  /** The name of the entry module. */
  readonly entry?: string
  /** The size of the screen that the app is made for. */
  readonly deviceSpec?: {
    /** The width of the screen, in points. */
    readonly width: number
    /** The height of the screen, in points. */
    readonly height: number
  }
  /** An extension of the interface. What CI found when it opened the app before the upload. */
  readonly replayCheck?: {
    /** An extension of the interface. Whether a replay draws the first screen of the app. */
    readonly firstScreen: "drawn" | "not_drawn" | "not_checked"
    /** An extension of the interface. Why nothing was drawn or checked, or the first error of the app. */
    readonly reason?: string
    /** An extension of the interface. The components that a replay draws as labelled boxes. */
    readonly boxes?: ReadonlyArray<string>
    /** An extension of the interface. What else the app asked for, and a replay doesn't have. */
    readonly missing?: ReadonlyArray<string>
  }
  /** Whether the bundle is already transformed. */
  readonly isTransformed?: boolean
  /** The platform of the app. */
  readonly platform?: "ios" | "android"
  /** The files beside the bundle. */
  readonly files?: ReadonlyArray<{
    /** The path, relative and with slashes. */
    readonly path: string
    /** The size, in bytes. */
    readonly sizeBytes: number
    /** The MIME type, to be sent as the header `content-type` of the PUT. */
    readonly contentType: string
    /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
    readonly contentHash?: string
  }>
  /** What was recorded while the app ran. */
  readonly recordings?: ReadonlyArray<{
    /** The name of the recording. */
    readonly name: string
    /** What was recorded. */
    readonly kind: "video" | "screenshot" | "events" | "log" | "other"
    /** The size, in bytes. */
    readonly sizeBytes: number
    /** The MIME type, to be sent as the header `content-type` of the PUT. */
    readonly contentType: string
    /** The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits. */
    readonly contentHash?: string
    /** When the recording started, in milliseconds since the start of the run. */
    readonly startedAtMs?: number
    /** The duration, in milliseconds. */
    readonly durationMs?: number
  }>
  /** The owner of the repository. */
  readonly owner?: string
  /** The name of the repository. */
  readonly repo?: string
  /** The branch in Git. */
  readonly branch?: string
  /** The SHA of the commit, 40 hexadecimal digits. */
  readonly commitSha?: string
  /** The number of the pull request. */
  readonly pr?: number
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
  readonly commitMessage?: string
  /** An extension of the interface. The name of the commit's author. */
  readonly author?: string
  /** An extension of the interface. The branch that the pull request is to be merged into. */
  readonly base?: string
  /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
  readonly job?: string
  /** `test_run` counts the preview as a billed test run. */
  readonly billingKind?: string
}

/** The schema `ReservePreviewResponse` of the OpenAPI document. */
export interface ReservePreviewResponse {
  /** The id of the preview. */
  readonly shareId: string
  /** The token of the reservation, to finalize with. */
  readonly token: string
  /** When it expires. */
  readonly expiresAt: string
  /** The page of the upload. */
  readonly url: string
  /** Where to PUT the declared bytes. */
  readonly slots: {
    /** The JavaScript bundle. */
    readonly bundle: BundleSlot
    /** The files beside the bundle. */
    readonly files: ReadonlyArray<FileSlot>
    /** What was recorded while the app ran. */
    readonly recordings: ReadonlyArray<RecordingSlot>
  }
}

/** The schema `ShareLinkList` of the OpenAPI document. */
export interface ShareLinkList {
  /** The share links, newest first. */
  readonly shares: ReadonlyArray<ShareLinkRecord>
  /** The `cursor` of the next page; absent on the last one. */
  readonly nextCursor?: string
}

/** The schema `ShareLinkRecord` of the OpenAPI document. */
export interface ShareLinkRecord {
  /** The id. */
  readonly id: string
  /** When it was created. */
  readonly createdAt: string
  /** When it expires. */
  readonly expiresAt: string
  /** When the link was revoked. */
  readonly revokedAt?: string
}

/** The schema `SourceRecord` of the OpenAPI document. */
export interface SourceRecord {
  /** The CI run. */
  readonly source: string
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** The branch in Git. */
  readonly branch?: string
  /** The SHA of the commit, 40 hexadecimal digits. */
  readonly commitSha?: string
  /** The numbers of the CI run. */
  readonly totals: {
    /** How many tests passed. */
    readonly passed: number
    /** How many tests failed. */
    readonly failed: number
    /** How many tests passed only after they had failed. */
    readonly flaky: number
    /** How many tests failed in quarantine. */
    readonly quarantined: number
    /** How many runs were registered. */
    readonly runs: number
    /** The duration, in milliseconds. */
    readonly durationMs: number
  }
  /** The branch that the results are compared with. */
  readonly base?: string
  /** The ids of tests that fail here and not on the base branch. */
  readonly new: ReadonlyArray<string>
  /** Those of the new failures whose tests are flaky or intermittent on the base branch. */
  readonly flakyOnBase: ReadonlyArray<{
    /** The id. */
    readonly id: string
    /** How many of these results were flaky, or failures of an intermittent test. */
    readonly unstable: number
    /** How many results on the base branch were examined, at most 40. */
    readonly of: number
  }>
  /** The ids of tests that fail on the base branch too. */
  readonly known: ReadonlyArray<string>
  /** The ids of tests that failed in quarantine. */
  readonly quarantined: ReadonlyArray<string>
  /** The ids of tests that passed only after they had failed. */
  readonly flaky: ReadonlyArray<string>
  /** Whether all imports of the CI run are complete, as far as they were announced, and all its runs were compared. */
  readonly complete: boolean
  /** Whether all imports of the CI run have ended; present where one was announced. */
  readonly imports?: ImportsRecord
}

/** The schema `TestHistoryRecord` of the OpenAPI document. */
export interface TestHistoryRecord {
  /** The id. */
  readonly id: string
  /** The kind of tests. */
  readonly kind: "maestro" | "detox"
  /** The name of the test. */
  readonly name: string
  /** An extension of the interface. The file of the test. */
  readonly file?: string
  /** The platform of the device. */
  readonly device?: string
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** How the latest run ended. */
  readonly lastStatus: "passed" | "failed"
  /** An extension of the interface. Whether the failure is quarantined: it is registered and shown, and left out of conclusions. */
  readonly quarantined?: boolean
  /** Whether the test is flaky. */
  readonly flaky: boolean
  /** How many runs there are. */
  readonly runs: number
  /** How many runs failed. */
  readonly failed: number
  /** How many runs passed only after they had failed. */
  readonly flakyRuns: number
  /** How many of the last 40 results failed between passed ones, in three or more streaks of one or two. Only for a branch. */
  readonly intermittentRuns?: number
  /** The median duration, in milliseconds. */
  readonly p50Ms?: number
  /** The 95th percentile of the durations, in milliseconds. */
  readonly p95Ms?: number
  /** When the test last ran. */
  readonly lastRunAt: string
  /** The first failed run since the test last passed. */
  readonly failingSince?: {
    /** The id of the run. */
    readonly runId: string
    /** The SHA of the commit, 40 hexadecimal digits. */
    readonly commitSha?: string
    /** When the run was registered. */
    readonly at: string
  }
  /** The latest run that passed. */
  readonly lastPassed?: {
    /** The id of the run. */
    readonly runId: string
    /** The SHA of the commit, 40 hexadecimal digits. */
    readonly commitSha?: string
    /** When the run was registered. */
    readonly at: string
  }
  /** The message of the latest failure. */
  readonly lastMessage?: string
  /** The latest results, newest first. */
  readonly results: ReadonlyArray<{
    /** The id of the run. */
    readonly runId: string
    /** How the run ended. */
    readonly status: "passed" | "failed"
    /** An extension of the interface. Whether the failure is quarantined: it is registered and shown, and left out of conclusions. */
    readonly quarantined?: boolean
    /** Whether it passed only after it had failed. */
    readonly flaky: boolean
    /** When the run was registered. */
    readonly at: string
    /** The duration, in milliseconds. */
    readonly durationMs?: number
    /** The branch in Git. */
    readonly branch?: string
    /** The SHA of the commit, 40 hexadecimal digits. */
    readonly commitSha?: string
    /** The CI run. */
    readonly source?: string
    /** The message of the failure. */
    readonly message?: string
  }>
}

/** The schema `TestList` of the OpenAPI document. */
export interface TestList {
  /** The tests. */
  readonly tests: ReadonlyArray<TestRecord>
  /** Continues a list after its last page. */
  readonly cursor?: string
}

/** The schema `TestRecord` of the OpenAPI document. */
export interface TestRecord {
  /** The id. */
  readonly id: string
  /** The kind of tests. */
  readonly kind: "maestro" | "detox"
  /** The name of the test. */
  readonly name: string
  /** An extension of the interface. The file of the test. */
  readonly file?: string
  /** The platform of the device. */
  readonly device?: string
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** How the latest run ended. */
  readonly lastStatus: "passed" | "failed"
  /** An extension of the interface. Whether the failure is quarantined: it is registered and shown, and left out of conclusions. */
  readonly quarantined?: boolean
  /** Whether the test is flaky. */
  readonly flaky: boolean
  /** How many runs there are. */
  readonly runs: number
  /** How many runs failed. */
  readonly failed: number
  /** How many runs passed only after they had failed. */
  readonly flakyRuns: number
  /** How many of the last 40 results failed between passed ones, in three or more streaks of one or two. Only for a branch. */
  readonly intermittentRuns?: number
  /** The median duration, in milliseconds. */
  readonly p50Ms?: number
  /** The 95th percentile of the durations, in milliseconds. */
  readonly p95Ms?: number
  /** When the test last ran. */
  readonly lastRunAt: string
  /** The first failed run since the test last passed. */
  readonly failingSince?: {
    /** The id of the run. */
    readonly runId: string
    /** The SHA of the commit, 40 hexadecimal digits. */
    readonly commitSha?: string
    /** When the run was registered. */
    readonly at: string
  }
  /** The latest run that passed. */
  readonly lastPassed?: {
    /** The id of the run. */
    readonly runId: string
    /** The SHA of the commit, 40 hexadecimal digits. */
    readonly commitSha?: string
    /** When the run was registered. */
    readonly at: string
  }
  /** The message of the latest failure. */
  readonly lastMessage?: string
}

/** The schema `TestRunList` of the OpenAPI document. */
export interface TestRunList {
  /** The test runs, newest first. */
  readonly testRuns: ReadonlyArray<TestRunRecord>
  /** The `cursor` of the next page; absent on the last one. */
  readonly nextCursor?: string
}

/** The schema `TestRunRecord` of the OpenAPI document. */
export interface TestRunRecord {
  /** The id. */
  readonly id: string
  /** The `shareId` of the preview with the recordings. */
  readonly previewShareId: string
  /** The status of the test run. */
  readonly status: "passed" | "failed"
  /** When the run started. */
  readonly startedAt?: string
  /** The kind of tests. */
  readonly kind: "maestro" | "detox"
  /** The name of the test. */
  readonly name?: string
  /** What the test was asked to do. */
  readonly prompt?: string
  /** The branch in Git. */
  readonly branch?: string
  /** The SHA of the commit, 40 hexadecimal digits. */
  readonly commitSha?: string
  /** How many steps the test has. */
  readonly stepCount?: number
  /** The duration, in milliseconds. */
  readonly durationMs?: number
  /** Why the test failed, at most 16,384 characters. ANSI codes and control characters are removed, and a longer text ends with `… (cut)`. */
  readonly failureMessage?: string
  /** The step that failed, counted from 0. */
  readonly failedStepIndex?: number
  /** The CI run. */
  readonly source?: string
  /** The number of the pull request. */
  readonly pr?: number
  /** An extension of the interface. The device of the test. */
  readonly device?: {
    /** The name of the device. */
    readonly name?: string
    /** The platform of the device. */
    readonly platform?: string
    /** The version of the operating system. */
    readonly osVersion?: string
  }
  /** An extension of the interface. Every attempt at the test in this run, the last one last. */
  readonly attempts?: ReadonlyArray<{
    /** How the attempt ended. */
    readonly status: "passed" | "failed"
    /** The duration, in milliseconds. */
    readonly durationMs?: number
    /** Why the test failed, at most 16,384 characters. ANSI codes and control characters are removed, and a longer text ends with `… (cut)`. */
    readonly failureMessage?: string
  }>
  /** An extension of the interface. The file of the test. */
  readonly file?: string
  /** An extension of the interface. The tags of the test. */
  readonly tags?: ReadonlyArray<string>
  /** An extension of the interface. One of several apps of a repository. It is part of the identity of a test and of a build. */
  readonly app?: string
  /** An extension of the interface. The beginning of the commit's message, at most 500 characters; a longer one is cut. */
  readonly commitMessage?: string
  /** An extension of the interface. The name of the commit's author. */
  readonly author?: string
  /** An extension of the interface. The branch that the pull request is to be merged into. */
  readonly base?: string
  /** An extension of the interface. The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only. */
  readonly job?: string
  /** An extension of the interface. Whether the failure is quarantined: it is registered and shown, and left out of conclusions. */
  readonly quarantined?: boolean
  /** When it was created. */
  readonly createdAt: string
  /** The owner of the repository. */
  readonly owner: string
  /** The name of the repository. */
  readonly repo: string
  /** The page that runs the app. */
  readonly previewUrl: string
  /** The page of the test run. */
  readonly traceUrl: string
}

/** The schema `UsageResponse` of the OpenAPI document. */
export interface UsageResponse {
  /** The account that the key belongs to. */
  readonly account: {
    /** The id of the account. */
    readonly id: string
    /** The name of the account. */
    readonly name: string
  }
  /** The month, in UTC. */
  readonly month: string
  /** When the next month begins. */
  readonly resetsAt: string
  /** The stored bytes, of all time. */
  readonly bytesStored: UsedAmount
  /** The bytes that were uploaded in this month. */
  readonly bytesPerMonth: UsedAmount
  /** The previews that were finalized in this month. */
  readonly previewsPerMonth: UsedAmount
  /** The test runs that were registered in this month. */
  readonly runsPerMonth: UsedAmount
}

/** The schema `UsedAmount` of the OpenAPI document. */
export interface UsedAmount {
  /** What is used. */
  readonly used: number
  /** What open reservations will use. */
  readonly reserved: number
  /** The most that is allowed. */
  readonly limit?: number
}
