import { Array as Arr } from "effect"
import type { CiRunTotals, PastRun, TestOutcome, TestResult, TestSummary } from "../model/TestHistory.ts"
import type { TestRun, TestRunStatus } from "../model/TestRun.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { attemptsOf, groupedBy } from "./attempts.ts"
import { firstBeyond } from "./pages.ts"
import { ciRunOf, isFlaky, once, startOf, testIdOf } from "./testRuns.ts"

/** One line of a failure's message, and the pattern by which failures of one cause are grouped. */

/** The first line of a message that isn't empty, at most 200 characters. */
export const messageLine = (message: string): string | undefined => {
  const line = message
    .slice(0, 4096)
    .split(/[\r\n]+/)
    .map((one) => one.replaceAll(/\s+/g, " ").trim())
    .find((one) => one !== "")
  return line === undefined || line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`
}

const withoutVariables = (message: string): string =>
  message
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g, "…")
    .replaceAll(/\b[a-z][a-z+.-]*:\/\/\S+|(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][\w.@-]+){2,}/g, "…")
    .replaceAll(
      /\b(?=[\da-f-]*\d)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b(?=[a-f]*\d)[\da-f]{7,}\b|\b0x[\da-f]+\b/gi,
      "…"
    )
    .replaceAll(/\d+(?:[.,:]\d+)*/g, "…")

/** How the messages of Maestro's own assertions begin: what follows is from the flow, so it tells one cause from another. */
const maestroAssertion = /^(?:Assertion is (?:false|true)|Element not found|No visible element found)\b/

/**
 * A message without what differs from run to run, so that failures of one cause are grouped: quoted texts, paths, URLs, ids,
 * times and numbers become `…`. Messages of Maestro's own assertions stay whole.
 */
export const messagePattern = (message: string): string =>
  maestroAssertion.test(message) ? message : withoutVariables(message)

const maxPatterns = 1000
const patterns = new Map<string, string>()

/** {@link messagePattern}, computed once for the registrations that find the message in a history. */
export const patternOf = (message: string): string => {
  const known = patterns.get(message)
  if (known !== undefined) return known
  if (patterns.size === maxPatterns) patterns.clear()
  const pattern = messagePattern(message)
  patterns.set(message, pattern)
  return pattern
}

// The results of a test: its runs grouped by CI run, and how each CI run ended.

/** How many results a history holds, and how many runs a result, the newest. */
export const maxResults = 100
export const maxRunsOfResult = 100
/** A history ends with the result that makes it longer than this: each run that is registered reads and writes the whole history. */
const maxCharacters = 100_000

/** What a history stores of a run. */
export const pastRunOf = once((run: TestRun): PastRun => {
  const outcomes = new Set([run.status, ...(run.attempts ?? []).map(({ status }) => status)])
  return {
    runId: run.id,
    at: startOf(run),
    status: run.status,
    ...(outcomes.size > 1 ? { mixed: true as const } : {}),
    ...(run.quarantined === true ? { quarantined: true as const } : {}),
    ...withoutUndefined({
      source: run.source,
      branch: run.branch,
      commitSha: run.commitSha,
      device: run.device?.name,
      job: run.job,
      durationMs: run.durationMs,
      message: messageLine(
        run.failureMessage ??
          run.attempts?.findLast(({ failureMessage }) => failureMessage !== undefined)?.failureMessage ??
          ""
      )
    })
  }
})

const newerFirst = (a: PastRun, b: PastRun): number =>
  b.at - a.at || (a.runId < b.runId ? 1 : a.runId > b.runId ? -1 : 0)

/** When a result began: with the earliest of its runs. */
export const resultStart = ({ runs }: TestResult): number => runs[runs.length - 1]?.at ?? 0

const laterFirst = (a: TestResult, b: TestResult): number =>
  resultStart(b) - resultStart(a) || (a.ciRun < b.ciRun ? 1 : a.ciRun > b.ciRun ? -1 : 0)

const isSome = (runs: ReadonlyArray<PastRun>): runs is TestResult["runs"] => runs.length > 0

/** Results with more runs, in any order and not yet cut, newest first. A run that they have already changes nothing. */
export const including = (
  results: ReadonlyArray<TestResult>,
  runs: ReadonlyArray<TestRun>
): ReadonlyArray<TestResult> => {
  if (runs.length === 0) return results
  const byCiRun = new Map(results.map((result) => [result.ciRun, result]))
  for (const [ciRun, added] of groupedBy(runs, ciRunOf)) {
    const known = byCiRun.get(ciRun)?.runs ?? []
    const ids = new Set(known.map(({ runId }) => runId))
    const all = [...known, ...added.filter(({ id }) => !ids.has(id)).map(pastRunOf)]
      .toSorted(newerFirst)
      .slice(0, maxRunsOfResult)
    if (isSome(all)) byCiRun.set(ciRun, { ciRun, runs: all })
  }
  return Array.from(byCiRun.values()).toSorted(laterFirst)
}

/** How long the texts of a result's runs are, with 100 characters for all else of a run. */
const charactersOf = ({ runs }: TestResult): number =>
  runs.reduce(
    (sum, { branch = "", device = "", job = "", message = "", source = "" }) =>
      sum + 100 + branch.length + device.length + job.length + message.length + source.length,
    0
  )

const lastWithin = (results: ReadonlyArray<TestResult>): number => firstBeyond(results, maxCharacters, charactersOf)

/** Whether a history with these results may have dropped others, which began before them. */
export const isFull = (results: ReadonlyArray<TestResult>): boolean =>
  results.length >= maxResults || lastWithin(results) !== -1

/**
 * The last 100 results of runs that are given in any order, newest first, beside what is known already of others. Fewer if their texts
 * are long.
 */
export const resultsOf = (
  runs: ReadonlyArray<TestRun>,
  known: ReadonlyArray<TestResult> = []
): ReadonlyArray<TestResult> => {
  const results = including(known, runs).slice(0, maxResults)
  const last = lastWithin(results)
  return last === -1 ? results : results.slice(0, last + 1)
}

export const excluding = (results: ReadonlyArray<TestResult>, id: TestRun["id"]): ReadonlyArray<TestResult> =>
  results
    .flatMap((result) => {
      const runs = result.runs.filter(({ runId }) => runId !== id)
      return isSome(runs) ? [{ ...result, runs }] : []
    })
    .toSorted(laterFirst)

/** How a test ended in one CI run. */
interface ResultEnd {
  readonly status: TestRunStatus
  /** Whether there were both outcomes. */
  readonly mixed: boolean
  /** Whether it failed, and each of its failures that count was in quarantine. */
  readonly quarantined: boolean
}

/**
 * How a test ended in one CI run. Runs of later attempts replace those of the same job, see `attemptsOf`; it failed if one that
 * isn't replaced did. Runs without a source have no attempts: the last one decides.
 */
export const endOf = ({ ciRun, runs }: TestResult): ResultEnd => {
  const [last, ...earlier] = runs
  const mixed = runs.some((run) => run.mixed === true || run.status !== last.status)
  const counting =
    earlier.length === 0 || !ciRun.startsWith("source-")
      ? [last]
      : attemptsOf(runs, ({ device, job, source, status }) => ({
          kind: "",
          device: { name: device },
          job,
          source,
          status
        })).map(([latest]) => latest)
  const failed = counting.filter(({ status }) => status === "failed")
  return {
    status: failed.length === 0 ? "passed" : "failed",
    mixed,
    quarantined: failed.length > 0 && failed.every(({ quarantined }) => quarantined === true)
  }
}

/** How a test ended in one CI run: `flaky` is passed, and not only; `quarantined` is failed. */
export const outcomeOf = ({ mixed, quarantined, status }: ResultEnd): TestOutcome =>
  status === "passed" && mixed ? "flaky" : quarantined ? "quarantined" : status

/** The totals of a CI run without runs. */
export const noTotals: CiRunTotals = { passed: 0, failed: 0, flaky: 0, quarantined: 0, runs: 0, durationMs: 0 }

/** The totals of one CI run, or of some of its tests, from its runs. */
export const totalsOf = (runs: ReadonlyArray<TestRun>): CiRunTotals => {
  const totals = { ...noTotals, runs: runs.length }
  for (const ofTest of groupedBy(runs, testIdOf).values()) {
    for (const result of resultsOf(ofTest)) totals[outcomeOf(endOf(result))] += 1
    for (const { durationMs = 0 } of ofTest) totals.durationMs += durationMs
  }
  return totals
}

/** A result with what is computed of it: `flaky` tells that its test both passed and failed for the result's commit. */
export interface JudgedResult extends TestResult {
  readonly status: TestRunStatus
  readonly outcome: TestOutcome
  readonly flaky: boolean
}

/** The results of a history, judged together: what failed and passed in two CI runs of one commit is flaky too. */
export const judged = (results: ReadonlyArray<TestResult>): ReadonlyArray<JudgedResult> => {
  const ends = results.map(endOf)
  const statuses = new Map<string, TestRunStatus>()
  const mixedCommits = new Set<string>()
  results.forEach(({ runs: [{ commitSha }] }, at) => {
    const status = ends[at]?.status
    if (commitSha === undefined || status === undefined) return
    if ((statuses.get(commitSha) ?? status) !== status) mixedCommits.add(commitSha)
    statuses.set(commitSha, status)
  })
  return Arr.zipWith(results, ends, (result, { mixed, quarantined, status }) => {
    const flaky = mixed || mixedCommits.has(result.runs[0].commitSha ?? "")
    return {
      ciRun: result.ciRun,
      runs: result.runs,
      status,
      flaky,
      outcome: outcomeOf({ status, mixed: flaky, quarantined })
    }
  })
}

/** The values below or at which these shares of the values are (nearest rank); `undefined` of none. */
export const percentiles = <const Shares extends ReadonlyArray<number>>(
  values: ReadonlyArray<number>,
  ...shares: Shares
) => {
  const sorted = Float64Array.from(values).toSorted()
  return shares.map((share) => sorted[Math.max(0, Math.ceil(values.length * share) - 1)])
}

/** The value below or at which this share of the values is (nearest rank); `undefined` of none. */
export const percentile = (values: ReadonlyArray<number>, share: number): number | undefined =>
  percentiles(values, share)[0]

/** The run of a result that shows how it ended. */
export const tellingRun = ({ runs, status }: JudgedResult): PastRun =>
  runs.find((run) => run.status === status) ?? runs[0]

/** Whether a test of a branch, or of all where it is `undefined`, is flaky or intermittent. */
export const isUnstable = (results: ReadonlyArray<JudgedResult>, branch: string | undefined): boolean =>
  results.some(({ flaky }) => flaky) || (branch !== undefined && intermittentFailures(results).length > 0)

/** How many of the newest results passed in a row, without being flaky, of those that began at `since` or later. */
export const passesInARow = (results: ReadonlyArray<TestResult>, since: number): number => {
  const ends = judged(results)
  const end = ends.findIndex((result) => result.outcome !== "passed" || resultStart(result) < since)
  return end === -1 ? ends.length : end
}

/** How many of the newest results tell whether a test is intermittent, and how unstable it is. */
export const unstableWithin = 40
/** A test is intermittent after so many streaks of failures, of which none counts that is longer. */
const [minStreaks, maxStreak] = [3, 2]

/**
 * The failures of an intermittent test, which fails and passes again between commits; none where it isn't. Among the last 40 results of a
 * branch, newest first, at least three streaks of one or two failures stand between passed results. A break that is fixed is one streak.
 */
export const intermittentFailures = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<JudgedResult> => {
  const streaks: Array<ReadonlyArray<JudgedResult>> = []
  let streak: ReadonlyArray<JudgedResult> | undefined
  for (const result of results.slice(0, unstableWithin)) {
    if (result.status === "failed") streak = streak && [...streak, result]
    else {
      if (streak !== undefined && streak.length > 0 && streak.length <= maxStreak) streaks.push(streak)
      streak = []
    }
  }
  return streaks.length < minStreaks ? [] : streaks.flat()
}

/** The share of the results of a test that are flaky, or failures of an intermittent test. */
export const flakyRate = ({
  flakyRuns,
  intermittentRuns = 0,
  runs
}: Pick<TestSummary, "flakyRuns" | "intermittentRuns" | "runs">): number =>
  Math.max(flakyRuns / runs, intermittentRuns / Math.min(runs, unstableWithin))

/** From which share of unstable results on a failure may be no fault of a change. */
const unstableShare = 0.05

/** How many of the last results of a test on a branch were flaky, or failures of an intermittent test. */
export interface UnstableResults {
  readonly unstable: number
  readonly of: number
}

/** How unstable a test was before a CI run; `undefined` if it was stable, or has no result. */
export const unstableBefore = (results: ReadonlyArray<TestResult>, ciRun: string): UnstableResults | undefined => {
  const before = judged(results.slice(results.findIndex((result) => result.ciRun === ciRun) + 1)).slice(
    0,
    unstableWithin
  )
  const intermittent = new Set(intermittentFailures(before))
  const unstable = before.filter((result) => result.flaky || intermittent.has(result)).length
  return unstable > 0 && unstable >= unstableShare * before.length ? { unstable, of: before.length } : undefined
}

/** Where a test passed last before a CI run, and where it failed first since then; each `undefined` where there is none. */
export interface BreakBefore {
  readonly lastPassed: PastRun | undefined
  readonly failingSince: PastRun | undefined
}

/**
 * The break of a test before a CI run, or, where it has no result of it, at the last; `results` are those of a branch, newest first. The
 * test was broken before if it failed since its last pass.
 */
export const breakBefore = (results: ReadonlyArray<TestResult>, ciRun: string): BreakBefore => {
  const before = judged(results.slice(results.findIndex((result) => result.ciRun === ciRun) + 1))
  const at = before.findIndex(({ status }) => status === "passed")
  const [lastPassed, first] = [before[at], at === -1 ? before.at(-1) : before[at - 1]]
  return { lastPassed: lastPassed && tellingRun(lastPassed), failingSince: first && tellingRun(first) }
}

/** Whether the runs of a test in one CI run, the latest attempt first, passed in the end and not only. */
export const isFlakyTest = ([latest, ...earlier]: ReadonlyArray<Pick<TestRun, "attempts" | "status">>): boolean =>
  latest?.status === "passed" && (isFlaky(latest) || earlier.some(({ status }) => status === "failed"))

/** From which share on a longer median duration is pointed out. */
export const slowerShare = 0.1

/** By which share the median duration of a test changed, of the last 30 results against the 30 before. */
export const medianChange = ({
  earlierP50Ms,
  recentP50Ms
}: Pick<TestSummary, "earlierP50Ms" | "recentP50Ms">): number | undefined =>
  recentP50Ms === undefined || earlierP50Ms === undefined || earlierP50Ms === 0
    ? undefined
    : recentP50Ms / earlierP50Ms - 1

/** Between which runs a test became slower: the first slow run is one of them, or lies between them. They are the same run if it is certain. */
interface SlowerSince {
  readonly from: PastRun
  readonly to: PastRun
}

/** Fewer results on one side of a step are noise. */
const minOnSide = 3
/** Up to which likelihood ratio another step may be the true one, with a confidence of 95 % (Hansen 2000). */
const stepBound = 7.35

/**
 * When a test became slower by {@link slowerShare} or more; `undefined` if no step is that large. `results` are newest first. Fits a step
 * between two levels to the logarithms of the durations of passed results, by least squares. The bounds are the steps that fit nearly as
 * well.
 */
export const slowerSince = (results: ReadonlyArray<JudgedResult>): SlowerSince | undefined => {
  const timed = results
    .filter(({ status }) => status === "passed")
    .map(tellingRun)
    .flatMap((run) => (run.durationMs === undefined ? [] : [{ run, value: Math.log(Math.max(1, run.durationMs)) }]))
    .toReversed()
  const total = timed.reduce((sum, { value }) => sum + value, 0)
  const squares = timed.reduce((sum, { value }) => sum + value ** 2, 0)
  let before = 0
  const steps = timed.flatMap(({ run, value }, at) => {
    const [low, high] = [before / at, (total - before) / (timed.length - at)]
    const residual = squares - at * low ** 2 - (timed.length - at) * high ** 2
    before += value
    return at < minOnSide || timed.length - at < minOnSide ? [] : [{ run, residual, rise: high - low }]
  })
  const best = steps.reduce(
    (one, step) => (step.residual < one.residual ? step : one),
    steps[0] ?? { residual: 0, rise: 0 }
  )
  if (best.rise < Math.log(1 + slowerShare)) return undefined
  const bound = best.residual * (1 + stepBound / timed.length)
  const possible = steps.filter(({ residual, rise }) => rise > 0 && residual <= bound + Number.EPSILON)
  const [from, to] = [possible[0], possible.at(-1)]
  return from && to && { from: from.run, to: to.run }
}
