import { Schema, SchemaTransformation, Struct, type Option } from "effect"
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

type PackedText = string | 0

type PackedRun = readonly [
  runId: string,
  at: number,
  status: "p" | "f" | "P" | "F",
  durationMs: number | null,
  commitSha: PackedText,
  branch: PackedText,
  source: PackedText,
  device: PackedText,
  message: PackedText,
  job: PackedText
]

const packRun = ({
  at,
  source,
  branch,
  commitSha,
  device,
  durationMs,
  job,
  message,
  mixed,
  runId,
  status
}: PastRun): PackedRun => [
  runId,
  at,
  status === "passed" ? (mixed === true ? "P" : "p") : mixed === true ? "F" : "f",
  durationMs ?? null,
  commitSha ?? 0,
  branch ?? 0,
  source ?? 0,
  device ?? 0,
  message ?? 0,
  job ?? 0
]

const unpackRun = (packed: PackedRun): PastRun => {
  const [runId, at, letter, durationMs, commitSha, branch, source, device, message, job] = packed
  const run: { -readonly [K in keyof PastRun]: PastRun[K] } = {
    runId: TestRunId.make(runId),
    at,
    status: letter === "p" || letter === "P" ? "passed" : "failed"
  }
  if (letter === "P" || letter === "F") run.mixed = true
  if (durationMs !== null) run.durationMs = durationMs
  if (commitSha !== 0) run.commitSha = commitSha
  if (branch !== 0) run.branch = branch
  if (source !== 0) run.source = source
  if (device !== 0) run.device = device
  if (message !== 0) run.message = message
  if (job !== 0) run.job = job
  return run
}

type PackedResult = readonly [ciRun: string, run: PackedRun, ...earlier: ReadonlyArray<PackedRun>]

/** What a store has of results that were read: the text of each, and those that it replaces rarely. */
interface Stored {
  readonly texts: ReadonlyMap<TestResult, string>
  readonly base: ReadonlyArray<TestResult>
}
const storedOf = new WeakMap<ReadonlyArray<TestResult>, Stored>()

const between = ",\n"
const beforeRecent = "]\n["
/** Results are stored beside the base until they are longer than this. PostgreSQL keeps so short a text in the row. */
const mostRecentCharacters = 2000

/** The first `total` of recent results and of those in the base that they don't replace. */
const withBase = (recent: ReadonlyArray<TestResult>, base: ReadonlyArray<TestResult>, total: number) => {
  const replaced = new Set(recent.map(({ ciRun }) => ciRun))
  return [...recent, ...base.filter(({ ciRun }) => !replaced.has(ciRun))].slice(0, total)
}

const unpackResults = (text: string): ReadonlyArray<TestResult> => {
  const texts = new Map<TestResult, string>()
  const unpack = (part: string): ReadonlyArray<TestResult> => {
    const each = part.split(between)
    return (JSON.parse(`[${part}]`) as ReadonlyArray<PackedResult>).map(([ciRun, run, ...earlier], at) => {
      const result: TestResult = { ciRun, runs: [unpackRun(run), ...earlier.map(unpackRun)] }
      texts.set(result, each[at] ?? "")
      return result
    })
  }
  const [first = "", recent = ""] = text.slice(1, -1).split(beforeRecent)
  const base = unpack(first)
  const end = recent.indexOf(between)
  const results =
    end === -1 ? base : withBase(unpack(recent.slice(end + between.length)), base, Number(recent.slice(0, end)))
  storedOf.set(results, { texts, base })
  return results
}

const packed = (results: ReadonlyArray<TestResult>, stored: Stored | undefined): string =>
  results
    .map((result) => stored?.texts.get(result) ?? JSON.stringify([result.ciRun, ...result.runs.map(packRun)]))
    .join(between)

/**
 * The text of results as a store keeps them. `read` are the results that were read of the same history: a run changes few of them, and
 * the texts of the others are used again.
 */
export const packResults = (results: ReadonlyArray<TestResult>, read: ReadonlyArray<TestResult> = []): string =>
  `[${packed(results, storedOf.get(read))}]`

/**
 * The text to store after the one that the base of `read` was read from: the results that are new or changed, so that a run doesn't
 * write all. `undefined` if the base must be replaced by {@link packResults}.
 */
export const packRecent = (
  results: ReadonlyArray<TestResult>,
  read: ReadonlyArray<TestResult> = []
): string | undefined => {
  const stored = storedOf.get(read)
  if (stored === undefined) return undefined
  const recent = results.slice(
    0,
    results.findIndex((result) => stored.base.includes(result))
  )
  const next = withBase(recent, stored.base, results.length)
  const isSame = next.length === results.length && next.every((result, at) => result === results[at])
  if (recent.length === 0 || !isSame) return undefined
  const text = `\n[${results.length}${between}${packed(recent, stored)}]`
  return text.length > mostRecentCharacters ? undefined : text
}

/**
 * Results as a store keeps them: a text of a third of the length, which is read and written at every run that is registered, ten
 * times as fast as a schema could. A store that doesn't keep it as it is written can't read it.
 */
export const PackedResults = Schema.String.pipe(
  Schema.decodeTo(
    Schema.declare((value): value is ReadonlyArray<TestResult> => Array.isArray(value)),
    SchemaTransformation.transform({
      decode: unpackResults,
      encode: (results) => packResults(results)
    })
  )
)

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
  /** The last 30 outcomes, the newest last: `p` passed, `f` failed, `k` flaky. */
  recent: Schema.String,
  lastRunId: TestRunId,
  /** The earliest of the failures since which no result passed, and how many there are. */
  failingSince: Schema.optionalKey(RunPoint),
  failuresInARow: Count,
  lastPassed: Schema.optionalKey(RunPoint),
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

/** How a test ended in a CI run: `flaky` is passed after a failure. */
export type TestOutcome = "passed" | "failed" | "flaky"

/** How many tests of a CI run ended how, how many runs they have, and how long these took all together. */
export const CiRunTotals = Schema.Struct({
  passed: Schema.Int,
  failed: Schema.Int,
  flaky: Schema.Int,
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
 * that of the run registered first, and `source` that of the last. `importsVersion` counts the changes of `imports`.
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
  importsVersion: Schema.optionalKey(Count)
})
export type CiRun = typeof CiRun.Type

/** A test with the names of its repository. */
export interface TestView {
  readonly test: TestHistory
  readonly repository: Pick<Repository, "owner" | "repo">
}

/** What a history is computed from again when a run is stored or deleted. */
export type StoredResults = Pick<TestHistory, "results" | "version">

/** What a run's commit reads of histories: the test's of all branches and of the run's branch, and when the run's CI run started. */
export interface LoadedHistory {
  readonly all: Option.Option<StoredResults>
  /** None also for a run without a branch. */
  readonly branch: Option.Option<StoredResults>
  readonly ciRun: Option.Option<Pick<CiRun, "startedAt">>
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
