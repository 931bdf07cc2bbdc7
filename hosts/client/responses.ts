/**
 * What the service answers, as it is sent: instants are texts in ISO 8601, which `new Date` reads. `schemas.ts`, which `npm run api`
 * writes from the OpenAPI document, has the fields.
 */
import type * as schemas from "./schemas.ts"

/** Where to PUT one object: exactly `sizeBytes` bytes, with `contentType` as their content type. @see docs/interface.md#2.5 */
export type Slot = schemas.BundleSlot

/** The slot of a declared file. */
export type FileSlot = schemas.FileSlot

/** The slot of a declared recording, in the order declared. */
export type RecordingSlot = schemas.RecordingSlot

/** What a reservation of a build answers. @see docs/interface.md#2.2 */
export type BuildReservation = schemas.ReserveBuildResponse

/** The slots of a build. */
export type BuildSlots = BuildReservation["slots"]

/**
 * A build; `previewUrl` is there once it is ready. `uploading`: never ready, a reservation alive. `expired`: never ready, none alive.
 * @see docs/interface.md#2.4
 */
export type Build = schemas.BuildRow

/** What a reservation of a preview answers. @see docs/interface.md#2.6 */
export type PreviewReservation = schemas.ReservePreviewResponse

/** The slots of a preview. */
export type PreviewSlots = PreviewReservation["slots"]

/**
 * A preview. `uploading`: not finalized, its reservation alive. `expired`: not finalized, its reservation over.
 * @see docs/interface.md#2.6, #4.8
 */
export type Preview = schemas.PreviewMetadata

/** The bundle of a preview. */
export type HostedBundle = Preview["bundle"]

/** Opens an object of a preview for the account that owns it; there once the preview is ready. */
export type Hosted = Pick<HostedBundle, "url">

/** A registered test run. @see docs/interface.md#2.7, #4.9 */
export type TestRun = schemas.TestRunRecord

/** A preview of a list. `sizeBytes` is the size of the bundle and the files together. */
export type PreviewListItem = schemas.PreviewListItem

/** A page of previews, newest first; `nextCursor` continues it. */
export type PreviewList = schemas.PreviewList

/** A page of test runs, newest first; `nextCursor` continues it. @see docs/interface.md#4.10 */
export type TestRunList = schemas.TestRunList

/** A test, with numbers over its last 100 results, of one branch or of all. A test without a name has its prompt. */
export type TestOfList = schemas.TestRecord

/** A run to link to, with its commit and its start. */
export type RunPoint = NonNullable<TestOfList["lastPassed"]>

/** A page of tests, those that ran last first; `cursor` continues it. */
export type TestList = schemas.TestList

/** A test with its last 100 results, newest first. */
export type TestHistory = schemas.TestHistoryRecord

/** How a test ended in one CI run. */
export type TestResult = TestHistory["results"][number]

/**
 * A CI run, and the ids of the tests that failed or were flaky in it, of one app where `app` is given. Unless it is `complete`, there
 * may be more.
 */
export type SourceSummary = schemas.SourceRecord

/** How many tests of a CI run ended how, how many runs they have, and how long these took all together. */
export type SourceTotals = SourceSummary["totals"]

/**
 * Whether all imports of a CI run have ended. `incomplete`: something is missing that may still come; `interrupted`: nothing was
 * announced for a day, and something is missing.
 */
export type SourceImports = schemas.ImportsRecord

/** An import that is not complete: `short` was closed with fewer runs than announced, `interrupted` is open for a day. */
export type MissingImport = SourceImports["missing"][number]

/** A new link: `url` opens the resource without a key. It is returned only once. */
export type CreatedShareLink = schemas.CreateShareLinkResponse

/** A link as its owner sees it afterwards. */
export type ShareLink = schemas.ShareLinkRecord

/** Up to 100 links, newest first, those that ended too; `nextCursor` continues behind them. */
export type ShareLinkList = schemas.ShareLinkList

/** How much of a quota is used, how much open reservations would take, and the limit, unless it is unlimited. */
export type UsedAmount = schemas.UsedAmount

/**
 * What an account stores, and what it created in this month, `2026-11` in UTC, which ends at `resetsAt`. Sizes are in
 * bytes.
 */
export type Usage = schemas.UsageResponse
