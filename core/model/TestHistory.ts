import { Schema, Struct, type DateTime, type Option } from "effect"
import { AccountId } from "./Account.ts"
import { AppName, ciDetails, CommitSha } from "./Build.ts"
import { PullRequest } from "./Preview.ts"
import { RepositoryId, type Repository } from "./Repository.ts"
import { Count, TestRunId, TestRunKind, TestRunStatus } from "./TestRun.ts"
import { Name, text } from "./Text.ts"

/** Identifies a test of a repository: 32 hexadecimal digits, which the rule `testIdOf` makes of what identifies it. */
export const TestId = Schema.String.pipe(Schema.brand("TestId"))
export type TestId = typeof TestId.Type

/** A time in milliseconds since 1970, UTC. */
const Millis = Schema.Natural

/** One registered run of a test, as its history keeps it. It outlives the run. */
export const PastRun = Schema.Struct({
  runId: TestRunId,
  /** When it started, as the rule `startOf` decides. */
  at: Millis,
  status: TestRunStatus,
  /** Whether its own attempts had both outcomes. */
  mixed: Schema.optionalKey(Schema.Literal(true)),
  /** Whether it failed in quarantine. */
  quarantined: Schema.optionalKey(Schema.Literal(true)),
  source: Schema.optionalKey(Name),
  branch: Schema.optionalKey(Name),
  commitSha: Schema.optionalKey(CommitSha),
  device: Schema.optionalKey(Name),
  job: Schema.optionalKey(Name),
  durationMs: Schema.optionalKey(Count),
  /** The first line of its failure message. */
  message: Schema.optionalKey(Schema.String)
})
export type PastRun = typeof PastRun.Type

/** The runs of one test in one CI run, the newest first. */
export const TestResult = Schema.Struct({ ciRun: Schema.String, runs: Schema.NonEmptyArray(PastRun) })
export type TestResult = typeof TestResult.Type

/** A run to link to, with its commit and its start. */
export const RunPoint = Schema.Struct({
  runId: TestRunId,
  commitSha: Schema.optionalKey(CommitSha),
  at: Millis
})
export type RunPoint = typeof RunPoint.Type

/** What a list of tests shows of each: numbers over its last 100 results. Durations are in milliseconds. */
export const TestSummary = Schema.Struct({
  runs: Count,
  failed: Count,
  flakyRuns: Count,
  /** The failures that make a test of a branch intermittent, among its last 40 results; absent where it isn't. */
  intermittentRuns: Schema.optionalKey(Count),
  p50Ms: Schema.optionalKey(Count),
  /** The medians of the last 30 results and of the 30 before. */
  recentP50Ms: Schema.optionalKey(Count),
  earlierP50Ms: Schema.optionalKey(Count),
  /** The last 30 outcomes, the newest last: `p` passed, `f` failed, `k` flaky, `q` failed in quarantine. */
  recent: Schema.String,
  lastRunId: TestRunId,
  /** The earliest of the failures since which no result passed, and how many there are. */
  failingSince: Schema.optionalKey(RunPoint),
  failuresInARow: Count,
  lastPassed: Schema.optionalKey(RunPoint),
  /** The newest failed result. */
  lastFailed: Schema.optionalKey(RunPoint),
  /** The first line of the newest failure, and of the newest one with the most frequent message among the last 30. */
  lastMessage: Schema.optionalKey(Schema.String),
  frequentMessage: Schema.optionalKey(Schema.String)
})
export type TestSummary = typeof TestSummary.Type

/** What identifies a test within its repository, see the rule `testIdentity`. */
export const testNames = {
  kind: TestRunKind,
  name: Schema.optionalKey(Name),
  prompt: Schema.optionalKey(text(1024, { lines: true })),
  file: Schema.optionalKey(Name),
  platform: Schema.optionalKey(Name),
  app: Schema.optionalKey(AppName)
}

/**
 * The history of one test: of one branch, or of all branches where `branch` is absent. `results` holds the last 100, newest first;
 * all else is computed from them by the rule `historyOf`. `version` counts the commits that changed it.
 */
export const TestHistory = Schema.Struct({
  testId: TestId,
  accountId: AccountId,
  repositoryId: RepositoryId,
  branch: Schema.optionalKey(Name),
  version: Count,
  ...testNames,
  lastRunAt: Schema.DateTimeUtcFromString,
  lastStatus: TestRunStatus,
  lastFlakyAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  p95Ms: Schema.optionalKey(Count),
  summary: TestSummary,
  results: Schema.Array(TestResult)
})
export type TestHistory = typeof TestHistory.Type

/** A test in a list. */
export type ListedTest = Omit<TestHistory, "results">

/** How a test ended in a CI run: `flaky` is passed after a failure, and `quarantined` is failed in quarantine. */
export type TestOutcome = "passed" | "failed" | "flaky" | "quarantined"

/** How many tests of a CI run ended how, how many runs they have, and how long these took all together. */
export const CiRunTotals = Schema.Struct({
  passed: Schema.Int,
  failed: Schema.Int,
  flaky: Schema.Int,
  quarantined: Schema.Int,
  runs: Schema.Int,
  durationMs: Schema.Int
})
export type CiRunTotals = typeof CiRunTotals.Type

/**
 * An import that a client announced before its first run: how many runs it registers, and once it ended, how many it registered.
 * `attempt` is that of its source. An `id` is the same for the same import of each attempt.
 */
export const ImportAnnouncement = Schema.Struct({
  id: text(100),
  attempt: Schema.optionalKey(Name),
  job: Schema.optionalKey(Name),
  app: Schema.optionalKey(AppName),
  expectedRuns: Count,
  registeredRuns: Schema.optionalKey(Count),
  /** How many imports its CI run has, where the client knows. */
  expectedImports: Schema.optionalKey(Count),
  openedAt: Millis
})
export type ImportAnnouncement = typeof ImportAnnouncement.Type

/**
 * A CI run of a repository: its runs have the same source but for the attempt, or, without a source, the same commit. `ciRun` is the
 * key that the rule `ciRunOf` makes. It started with the earliest of its runs, or with an import that was announced before; the rest is
 * that of the run registered first, and `source` that of the last. `importsVersion` counts the changes of `imports`, and at
 * `finishesAt` it is finished though an import is missing.
 */
export const CiRun = Schema.Struct({
  repositoryId: RepositoryId,
  accountId: AccountId,
  ciRun: Schema.String,
  source: Schema.optionalKey(Name),
  branch: Schema.optionalKey(Name),
  commitSha: Schema.optionalKey(CommitSha),
  pr: Schema.optionalKey(PullRequest),
  ...Struct.pick(ciDetails, ["commitMessage", "author", "base"]),
  startedAt: Schema.DateTimeUtcFromString,
  ...CiRunTotals.fields,
  imports: Schema.optionalKey(Schema.Array(ImportAnnouncement)),
  importsVersion: Schema.optionalKey(Count),
  finishesAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type CiRun = typeof CiRun.Type

/** A test with the names of its repository. */
export interface TestView {
  readonly test: TestHistory
  readonly repository: Pick<Repository, "owner" | "repo">
}

/** What a history is computed from again when a run is stored or deleted. */
export type StoredResults = Pick<TestHistory, "results" | "version">

/** From when until when a test is quarantined. */
export interface QuarantineTimes {
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/** What a run's commit reads of histories: the test's of all branches and of the run's branch, and when the run's CI run started, and its test's
 * quarantine, in force or not.
 */
export interface LoadedHistory {
  readonly all: Option.Option<StoredResults>
  /** None also for a run without a branch. */
  readonly branch: Option.Option<StoredResults>
  readonly ciRun: Option.Option<Pick<CiRun, "startedAt">>
  readonly quarantine: Option.Option<QuarantineTimes>
}

/** A history to store in place of the one with the version `expected`, 0 if there is none; none to store removes it. */
export interface HistoryWrite {
  readonly testId: TestId
  readonly branch: string | undefined
  readonly expected: number
  readonly next: TestHistory | undefined
  /** The results that were read, of which the next ones are made. */
  readonly read?: ReadonlyArray<TestResult>
}

/** What a commit that stores or deletes a run changes in histories. `ciRun` is added to what is stored, or stored if it is new. */
export interface HistoryChange {
  readonly tests: ReadonlyArray<HistoryWrite>
  readonly ciRun: CiRun | undefined
  /** A test of which every history is removed, to make room. */
  readonly evicted?: TestId | undefined
}
