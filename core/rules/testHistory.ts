/**
 * The history of a test: every number that is shown of its last results, and the change of both by a run. Whatever order runs are
 * registered and deleted in, a history holds what `resultsOf` returns for all its runs.
 */
import { DateTime, Option } from "effect"
import type {
  CiRun,
  CiRunTotals,
  HistoryChange,
  HistoryWrite,
  ListedTest,
  LoadedHistory,
  PastRun,
  RunPoint,
  StoredResults,
  TestHistory,
  TestResult,
  TestSummary
} from "../model/TestHistory.ts"
import type { Repository } from "../model/Repository.ts"
import type { TestRun } from "../model/TestRun.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import {
  endOf,
  excluding,
  including,
  intermittentFailures,
  isFull,
  judged,
  maxRunsOfResult,
  noTotals,
  outcomeOf,
  pastRunOf,
  patternOf,
  percentile,
  percentiles,
  resultsOf,
  resultStart,
  tellingRun,
  type JudgedResult
} from "./testResults.ts"
import { groupedBy } from "./attempts.ts"
import { ciRunOf, isCiRun, startOf, testIdOf } from "./testRuns.ts"

/** How many results the sparkline and the recent median cover. */
export const recentResults = 30

/** Computes what {@link historyWith} and {@link historyWithout} need of a run, so that they find it. */
export const prepareRun = (run: TestRun): void => {
  ciRunOf(run)
  pastRunOf(run)
}

const letters = { passed: "p", failed: "f", flaky: "k", quarantined: "q" } as const

/** Whether the last result of a test failed in quarantine. */
export const failedInQuarantine = ({ summary }: Pick<ListedTest, "summary">): boolean =>
  summary.recent.endsWith(letters.quarantined)

const pointOf = ({ at, commitSha, runId }: PastRun): RunPoint => ({ runId, at, ...withoutUndefined({ commitSha }) })

const durations = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<number> =>
  results.flatMap((result) => tellingRun(result).durationMs ?? [])

/** The first of the messages with the most frequent pattern. */
const mostFrequent = (messages: ReadonlyArray<string>): string | undefined => {
  const groups = Array.from(groupedBy(messages, patternOf).values())
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0]
}

/** The newest messages, as many as results in a sparkline. */
const recentMessages = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<string> => {
  const messages: Array<string> = []
  for (const { runs } of results) {
    for (const { message } of runs) {
      if (message !== undefined && messages.push(message) === recentResults) return messages
    }
  }
  return messages
}

const summaryOf = (
  results: readonly [JudgedResult, ...ReadonlyArray<JudgedResult>],
  intermittent: number,
  p50Ms: number | undefined
): TestSummary => {
  const failed = results.filter(({ status }) => status === "failed")
  const firstPassed = results.findIndex(({ status }) => status === "passed")
  const failuresInARow = firstPassed === -1 ? results.length : firstPassed
  const since = results[failuresInARow - 1]
  const passed = results[firstPassed]
  const messages = recentMessages(results)
  return {
    runs: results.length,
    failed: failed.length,
    flakyRuns: results.filter(({ flaky }) => flaky).length,
    recent: results
      .slice(0, recentResults)
      .map(({ outcome }) => letters[outcome])
      .toReversed()
      .join(""),
    lastRunId: tellingRun(results[0]).runId,
    failuresInARow,
    ...withoutUndefined({
      intermittentRuns: intermittent === 0 ? undefined : intermittent,
      p50Ms,
      recentP50Ms: percentile(durations(results.slice(0, recentResults)), 0.5),
      earlierP50Ms: percentile(durations(results.slice(recentResults, 2 * recentResults)), 0.5),
      failingSince: since && pointOf(tellingRun(since)),
      lastPassed: passed && pointOf(tellingRun(passed)),
      lastFailed: failed[0] && pointOf(tellingRun(failed[0])),
      lastMessage: messages[0],
      frequentMessage: mostFrequent(messages)
    })
  }
}

/** The branch that a repository is shown by: as its link says, else `main`, `master`, or that with the most CI runs. */
export const defaultBranchOf = (
  { defaultBranch }: Pick<Repository, "defaultBranch">,
  branches: ReadonlyArray<{ readonly branch: string; readonly ciRuns: number }>
): string | undefined =>
  defaultBranch ??
  ["main", "master"].find((name) => branches.some(({ branch }) => branch === name)) ??
  branches.toSorted((a, b) => b.ciRuns - a.ciRuns)[0]?.branch

/** The beginning of the last working day before today, in UTC: of Friday on Saturdays, Sundays and Mondays. */
export const lastWorkingDay = (now: DateTime.Utc): DateTime.Utc => {
  const today = DateTime.startOf(now, "day")
  const days = { 0: 2, 1: 3 }[DateTime.getPart(today, "weekDay")] ?? 1
  return DateTime.subtract(today, { days })
}

/** What a history has beside what its results tell. */
type Owner = Pick<TestRun, "accountId" | "repositoryId" | "kind" | "name" | "prompt" | "file" | "device" | "app">

/** The history with these results; none without a result. */
export const historyOf = (
  run: Owner,
  { branch, version }: { readonly branch: string | undefined; readonly version: number },
  results: ReadonlyArray<TestResult>
): TestHistory | undefined => {
  const [last, ...earlier] = judged(results)
  if (last === undefined) return undefined
  // The branches of a history of all branches have different code, so that results which flip prove nothing.
  const intermittent = new Set(branch === undefined ? [] : intermittentFailures([last, ...earlier]))
  const flaky = [last, ...earlier].find((result) => result.flaky || intermittent.has(result))
  const { accountId, app, device, file, kind, name, prompt, repositoryId } = run
  const [p50Ms, p95Ms] = percentiles(durations([last, ...earlier]), 0.5, 0.95)
  return {
    testId: testIdOf(run),
    accountId,
    repositoryId,
    version,
    kind,
    lastRunAt: DateTime.makeUnsafe(resultStart(last)),
    lastStatus: last.status,
    summary: summaryOf([last, ...earlier], intermittent.size, p50Ms),
    results,
    ...withoutUndefined({
      branch,
      name,
      prompt: name === undefined ? prompt : undefined,
      file,
      platform: device?.platform,
      app,
      p95Ms,
      lastFlakyAt: flaky && DateTime.makeUnsafe(resultStart(flaky))
    })
  }
}

/**
 * Whether the commit of a new run needs the stored runs of its test, because results that a history dropped may count: those of the
 * run's own CI run, if that began before the results that the history holds; or others, if the run is why its result began before them,
 * or replaces a longer run of its result.
 */
export const needsStoredRuns = (loaded: LoadedHistory, run: TestRun): boolean => {
  const began = Option.match(loaded.ciRun, {
    onNone: () => Infinity,
    onSome: ({ startedAt }) => DateTime.toEpochMillis(startedAt)
  })
  return [loaded.all, loaded.branch].some((history) =>
    Option.exists(history, ({ results }) => {
      const oldest = results.at(-1)
      if (oldest === undefined || !isFull(results)) return false
      const resultOfRun = results.find(({ ciRun }) => ciRun === ciRunOf(run))
      if ((resultOfRun === undefined ? began : startOf(run)) <= resultStart(oldest)) return true
      return resultOfRun?.runs.length === maxRunsOfResult && !isFull(including(results, [run]))
    })
  )
}

const outcomeIn = (results: ReadonlyArray<TestResult>, ciRun: string): Partial<CiRunTotals> => {
  const result = results.find((one) => one.ciRun === ciRun)
  return result === undefined ? {} : { [outcomeOf(endOf(result))]: 1 }
}

/** What a run's CI run changes by, when its test's results become others and it has `by` more runs, 1 or -1. */
const ciRunChange = (
  run: TestRun,
  before: ReadonlyArray<TestResult>,
  after: ReadonlyArray<TestResult>,
  by: number
): CiRun | undefined => {
  const ciRun = ciRunOf(run)
  if (!isCiRun(ciRun)) return undefined
  const [was, is] = [
    { ...noTotals, ...outcomeIn(before, ciRun) },
    { ...noTotals, ...outcomeIn(after, ciRun) }
  ]
  const { accountId, author, base, branch, commitMessage, commitSha, pr, repositoryId, source } = run
  return {
    repositoryId,
    accountId,
    ciRun,
    startedAt: DateTime.makeUnsafe(startOf(run)),
    ...withoutUndefined({ branch, commitSha, commitMessage, author, base, pr, source }),
    passed: is.passed - was.passed,
    failed: is.failed - was.failed,
    flaky: is.flaky - was.flaky,
    quarantined: is.quarantined - was.quarantined,
    runs: by,
    durationMs: by * (run.durationMs ?? 0)
  }
}

const resultsIn = (history: Option.Option<StoredResults>): ReadonlyArray<TestResult> =>
  Option.match(history, { onNone: () => [], onSome: ({ results }) => results })

const writesOf = (
  run: TestRun,
  loaded: LoadedHistory,
  resultsFor: (history: Option.Option<StoredResults>, branch: string | undefined) => ReadonlyArray<TestResult>
): ReadonlyArray<HistoryWrite> => {
  const write = (history: Option.Option<StoredResults>, branch: string | undefined): HistoryWrite => {
    const expected = Option.match(history, { onNone: () => 0, onSome: ({ version }) => version })
    return {
      testId: testIdOf(run),
      branch,
      expected,
      next: historyOf(run, { branch, version: expected + 1 }, resultsFor(history, branch)),
      read: resultsIn(history)
    }
  }
  return [write(loaded.all, undefined), ...(run.branch === undefined ? [] : [write(loaded.branch, run.branch)])]
}

/** The change by a new run. `stored` are the newest runs of its test where {@link needsStoredRuns} is true. */
export const historyWith = (run: TestRun, loaded: LoadedHistory, stored: ReadonlyArray<TestRun>): HistoryChange => {
  const key = ciRunOf(run)
  const known = including(resultsIn(loaded.all), stored).filter(({ ciRun }) => ciRun === key)
  return {
    tests: writesOf(run, loaded, (history, branch) =>
      resultsOf([...stored.filter((one) => branch === undefined || one.branch === branch), run], resultsIn(history))
    ),
    ciRun: ciRunChange(run, known, including(known, [run]), 1)
  }
}

/** The change by a deleted run. `stored` are the newest runs of its test, from which its place among the last 100 is filled. */
export const historyWithout = (run: TestRun, loaded: LoadedHistory, stored: ReadonlyArray<TestRun>): HistoryChange => {
  const others = stored.filter(({ id }) => id !== run.id)
  const known = including(excluding(resultsIn(loaded.all), run.id), others)
  return {
    tests: writesOf(run, loaded, (history, branch) =>
      resultsOf(
        others.filter((one) => branch === undefined || one.branch === branch),
        excluding(resultsIn(history), run.id)
      )
    ),
    ciRun: ciRunChange(run, including(known, [run]), known, -1)
  }
}
