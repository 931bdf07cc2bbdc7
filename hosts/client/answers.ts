/**
 * What the service answers, as it is sent: instants are texts in ISO 8601, which `new Date` reads. `testing/sameTypes.ts`
 * holds these types equal to the schemas of the server.
 */
import type {
  CiDetails,
  DeclaredFile,
  DeviceSpec,
  GitProvenance,
  Platform,
  Recording,
  ReplayCheck,
  TestRunKind,
  TestRunReport,
  TestRunStatus
} from "./requests.ts"

/** Where to PUT one object: exactly `sizeBytes` bytes, with `contentType` as their content type. @see docs/interface.md#2.5 */
export interface Slot {
  readonly putUrl: string
  readonly method: "PUT"
  readonly objectKey: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly expiresAt: string
  /** The account has these bytes already in a finalized upload, so that they needn't be sent. */
  readonly uploaded?: true
}

/** The slot of a declared file. */
export interface FileSlot extends Slot {
  readonly path: string
}

/** The slot of a declared recording, in the order declared. */
export interface RecordingSlot extends Slot {
  readonly name: string
}

/** The slots of a build. */
export interface BuildSlots {
  readonly bundle: Slot
  readonly files: ReadonlyArray<FileSlot>
}

/** What a reservation of a build answers. @see docs/interface.md#2.2 */
export interface BuildReservation {
  readonly id: string
  readonly token: string
  readonly expiresAt: string
  readonly url: string
  readonly slots: BuildSlots
}

/** A build; `previewUrl` is there once it is ready. @see docs/interface.md#2.4 */
export interface Build extends CiDetails {
  readonly id: string
  readonly url: string
  readonly previewUrl?: string
  /** `uploading`: never ready, a reservation alive. `expired`: never ready, none alive. */
  readonly status: "uploading" | "ready" | "expired"
  readonly owner: string
  readonly repo: string
  readonly branch: string
  readonly platform: Platform
  readonly commitSha: string
  readonly app?: string
  readonly contentHash: string
  readonly bundleSizeBytes: number
  readonly bundleContentType: string
  readonly bundleOrigin?: string
  readonly entry?: string
  readonly isTransformed: boolean
  readonly deviceSpec?: DeviceSpec
  readonly replayCheck?: ReplayCheck
  readonly files: ReadonlyArray<DeclaredFile>
  readonly createdAt: string
  readonly updatedAt: string
  readonly readyAt?: string
}

/** The slots of a preview. */
export interface PreviewSlots extends BuildSlots {
  readonly recordings: ReadonlyArray<RecordingSlot>
}

/** What a reservation of a preview answers. @see docs/interface.md#2.6 */
export interface PreviewReservation {
  readonly shareId: string
  readonly token: string
  readonly expiresAt: string
  readonly url: string
  readonly slots: PreviewSlots
}

/** Opens an object of a preview for the account that owns it; there once the preview is ready. */
export interface Hosted {
  readonly url?: string
}

/** The bundle of a preview. */
export interface HostedBundle extends Hosted {
  readonly contentHash: string
  readonly sizeBytes: number
  readonly contentType: string
  readonly origin?: string
  readonly entry?: string
  readonly isTransformed: boolean
}

/** A preview. @see docs/interface.md#2.6, #4.8 */
export interface Preview {
  readonly shareId: string
  readonly url: string
  /** `uploading`: not finalized, its reservation alive. `expired`: not finalized, its reservation over. */
  readonly status: "uploading" | "ready" | "expired"
  readonly device: Partial<DeviceSpec> & { readonly platform?: Platform }
  readonly bundle: HostedBundle
  readonly files: ReadonlyArray<DeclaredFile & Hosted>
  readonly recordings: ReadonlyArray<Recording & Hosted>
  readonly git: GitProvenance
  readonly account: { readonly id: string; readonly name: string }
  readonly billingKind?: string
  readonly replayCheck?: ReplayCheck
  readonly createdAt: string
  readonly readyAt?: string
}

/** A registered test run. @see docs/interface.md#2.7, #4.9 */
export interface TestRun extends TestRunReport {
  readonly id: string
  readonly status: TestRunStatus
  readonly previewUrl: string
  readonly traceUrl: string
  readonly createdAt: string
}

/** A preview of a list. `sizeBytes` is the size of the bundle and the files together. */
export interface PreviewListItem {
  readonly shareId: string
  readonly url: string
  readonly platform?: Platform
  readonly sizeBytes: number
  readonly git: Preview["git"]
  readonly replayCheck?: ReplayCheck
  readonly createdAt: string
  readonly readyAt?: string
}

/** A page of previews, newest first; `nextCursor` continues it. */
export interface PreviewList {
  readonly previews: ReadonlyArray<PreviewListItem>
  readonly nextCursor?: string
}

/** A page of test runs, newest first; `nextCursor` continues it. @see docs/interface.md#4.10 */
export interface TestRunList {
  readonly testRuns: ReadonlyArray<TestRun>
  readonly nextCursor?: string
}

/** A run to link to, with its commit and its start. */
export interface RunPoint {
  readonly runId: string
  readonly commitSha?: string
  readonly at: string
}

/** A test, with numbers over its last 100 results, of one branch or of all. */
export interface TestOfList {
  readonly id: string
  readonly kind: TestRunKind
  /** The prompt of a test without a name. */
  readonly name: string
  readonly file?: string
  /** The platform of the devices that it runs on. */
  readonly device?: string
  readonly app?: string
  readonly lastStatus: TestRunStatus
  readonly flaky: boolean
  readonly runs: number
  readonly failed: number
  readonly flakyRuns: number
  /** The failures that make a test of a branch intermittent, among its last 40 results. */
  readonly intermittentRuns?: number
  readonly p50Ms?: number
  readonly p95Ms?: number
  readonly lastRunAt: string
  readonly failingSince?: RunPoint
  readonly lastPassed?: RunPoint
  readonly lastMessage?: string
}

/** A page of tests, those that ran last first; `cursor` continues it. */
export interface TestList {
  readonly tests: ReadonlyArray<TestOfList>
  readonly cursor?: string
}

/** How a test ended in one CI run. */
export interface TestResult {
  readonly runId: string
  readonly status: TestRunStatus
  readonly flaky: boolean
  readonly at: string
  readonly durationMs?: number
  readonly branch?: string
  readonly commitSha?: string
  readonly source?: string
  readonly message?: string
}

/** A test with its last 100 results, newest first. */
export interface TestHistory extends TestOfList {
  readonly results: ReadonlyArray<TestResult>
}

/** How many tests of a CI run ended how, how many runs they have, and how long these took all together. */
export interface SourceTotals {
  readonly passed: number
  readonly failed: number
  readonly flaky: number
  readonly runs: number
  readonly durationMs: number
}

/** An import that is not complete: `short` was closed with fewer runs than announced, `interrupted` is open for a day. */
export interface MissingImport {
  readonly id: string
  readonly state: "open" | "short" | "interrupted"
  readonly job?: string
  readonly app?: string
  /** Which attempt at the CI run announced it. */
  readonly attempt?: string
  readonly expectedRuns: number
  readonly registeredRuns?: number
  readonly openedAt: string
}

/**
 * Whether all imports of a CI run have ended. `incomplete`: something is missing that may still come; `interrupted`: nothing was
 * announced for a day, and something is missing.
 */
export interface SourceImports {
  readonly state: "complete" | "incomplete" | "interrupted"
  readonly expectedImports?: number
  readonly completedImports: number
  readonly missing: ReadonlyArray<MissingImport>
}

/** A CI run, and the ids of the tests that failed or were flaky in it. Unless it is `complete`, there may be more. */
export interface SourceSummary {
  readonly source: string
  /** The only app whose tests count. */
  readonly app?: string
  readonly branch?: string
  readonly commitSha?: string
  readonly totals: SourceTotals
  /** The branch that it is compared with. */
  readonly base?: string
  /** Failed, and did not fail last on the base branch. */
  readonly new: ReadonlyArray<string>
  /** Those of `new` that are flaky or intermittent on the base branch: in `unstable` of its last `of` results there. */
  readonly flakyOnBase: ReadonlyArray<{ readonly id: string; readonly unstable: number; readonly of: number }>
  /** Failed, also on the base branch. */
  readonly known: ReadonlyArray<string>
  readonly flaky: ReadonlyArray<string>
  readonly complete: boolean
  /** Present where an import was announced. */
  readonly imports?: SourceImports
}

/** A new link: `url` opens the resource without a key. It is returned only once. */
export interface CreatedShareLink {
  readonly id: string
  readonly url: string
  readonly createdAt: string
  readonly expiresAt: string
}

/** A link as its owner sees it afterwards. */
export interface ShareLink {
  readonly id: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly revokedAt?: string
}

/** Up to 100 links, newest first, those that ended too; `nextCursor` continues behind them. */
export interface ShareLinkList {
  readonly shares: ReadonlyArray<ShareLink>
  readonly nextCursor?: string
}

/** How much of a quota is used, how much open reservations would take, and the limit, unless it is unlimited. */
export interface UsedAmount {
  readonly used: number
  readonly reserved: number
  readonly limit?: number
}

/**
 * What an account stores, and what it created in this month, `2026-11` in UTC, which ends at `resetsAt`. Sizes are in
 * bytes.
 */
export interface Usage {
  readonly account: { readonly id: string; readonly name: string }
  readonly month: string
  readonly resetsAt: string
  readonly bytesStored: UsedAmount
  readonly bytesPerMonth: UsedAmount
  readonly previewsPerMonth: UsedAmount
  readonly runsPerMonth: UsedAmount
}
