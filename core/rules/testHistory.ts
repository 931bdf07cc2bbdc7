/**
 * The history of a test: what its last 100 results are, and every number that is shown of them. Whatever order runs are registered and
 * deleted in, a history is what {@link resultsOf} makes of all its runs.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Array as Arr, DateTime, Option } from "effect"
import {
  TestId,
  type CiRun,
  type CiRunTotals,
  type PastRun,
  type RunPoint,
  type StoredResults,
  type TestHistory,
  type TestOutcome,
  type TestResult,
  type TestSummary,
  type HistoryChange,
  type HistoryWrite,
  type LoadedHistory
} from "../model/TestHistory.ts"
import type { Repository } from "../model/Repository.ts"
import type { TestRun, TestRunStatus } from "../model/TestRun.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { attemptsOf, sourceParts, testIdentity } from "./attempts.ts"
import { groupedBy } from "./groupedBy.ts"
import { firstBeyond } from "./pages.ts"
import { isFlaky } from "./testRuns.ts"

/** How many results a history holds, and how many runs a result, the newest. */
export const mostResults = 100
const mostRunsOfResult = 100
/** A history ends with the result that makes it longer than this: each run that is registered reads and writes the whole history. */
const mostCharacters = 100_000
/** How many results the sparkline and the recent median cover. */
export const recentResults = 30

const shortDigest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32)

type Identified = Pick<TestRun, "repositoryId" | "kind" | "name" | "prompt" | "file" | "device">

/** Computes a value of a run once: the commit of one run asks several times. */
const once = <Run extends object, Value>(compute: (run: Run) => Value): ((run: Run) => Value) => {
  const computed = new WeakMap<Run, Value>()
  return (run) => {
    const known = computed.get(run)
    if (known !== undefined) return known
    const value = compute(run)
    computed.set(run, value)
    return value
  }
}

/** The id of the test that a run is of. */
export const testIdOf = once((run: Identified) =>
  TestId.make(shortDigest(JSON.stringify([run.repositoryId, testIdentity(run)])))
)

/** The key of the CI run that a source names. */
export const ciRunOfSource = (source: string): string => `source-${shortDigest(sourceParts(source).ciRun).slice(0, 20)}`

/**
 * The key of the CI run that a run is of: `source-` and a digest of its source without the attempt, else `commit-` and its commit. A
 * run with neither is alone, and of no CI run that is listed.
 */
export const ciRunOf = once(({ commitSha, id, source }: Pick<TestRun, "commitSha" | "id" | "source">) =>
  source !== undefined ? ciRunOfSource(source) : commitSha !== undefined ? `commit-${commitSha}` : `run-${id}`
)

/** Whether {@link ciRunOf} made this key of a CI run, not of a run alone. */
export const isCiRun = (key: string): boolean => !key.startsWith("run-")

/**
 * When a run started, in milliseconds: as it says, though not after it was registered, because clocks differ; without a start, when
 * it was registered.
 */
export const startOf = ({ createdAt, startedAt }: Pick<TestRun, "createdAt" | "startedAt">): number => {
  const registered = DateTime.toEpochMillis(createdAt)
  return startedAt === undefined ? registered : Math.min(registered, Math.max(0, DateTime.toEpochMillis(startedAt)))
}

/** The first line of a message that isn't empty, at most 200 characters. */
export const messageLine = (message: string): string | undefined => {
  const line = message
    .slice(0, 4096)
    .split(/[\r\n]+/)
    .map((one) => one.replaceAll(/\s+/g, " ").trim())
    .find((one) => one !== "")
  return line === undefined || line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`
}

/**
 * A message without what differs from run to run, so that failures of one cause are grouped: quoted texts, paths, URLs, ids,
 * times and numbers become `…`.
 */
export const messagePattern = (message: string): string =>
  message
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g, "…")
    .replaceAll(/\b[a-z][a-z+.-]*:\/\/\S+|(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][\w.@-]+){2,}/g, "…")
    .replaceAll(
      /\b(?=[\da-f-]*\d)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b(?=[a-f]*\d)[\da-f]{7,}\b|\b0x[\da-f]+\b/gi,
      "…"
    )
    .replaceAll(/\d+(?:[.,:]\d+)*/g, "…")

const pastRunOf = once((run: TestRun): PastRun => {
  const outcomes = new Set([run.status, ...(run.attempts ?? []).map(({ status }) => status)])
  return {
    runId: run.id,
    at: startOf(run),
    status: run.status,
    ...(outcomes.size > 1 ? { mixed: true as const } : {}),
    ...withoutUndefined({
      source: run.source,
      branch: run.branch,
      commitSha: run.commitSha,
      device: run.device?.name,
      durationMs: run.durationMs,
      message: messageLine(
        run.failureMessage ??
          run.attempts?.findLast(({ failureMessage }) => failureMessage !== undefined)?.failureMessage ??
          ""
      )
    })
  }
})

/** Computes what {@link historyWith} and {@link historyWithout} need of a run, so that they find it. */
export const prepareRun = (run: TestRun): void => {
  ciRunOf(run)
  pastRunOf(run)
}

const newerFirst = (a: PastRun, b: PastRun): number =>
  b.at - a.at || (a.runId < b.runId ? 1 : a.runId > b.runId ? -1 : 0)

/** When a result began: with the earliest of its runs. */
export const resultStart = ({ runs }: TestResult): number => runs[runs.length - 1]?.at ?? 0

const laterFirst = (a: TestResult, b: TestResult): number =>
  resultStart(b) - resultStart(a) || (a.ciRun < b.ciRun ? 1 : a.ciRun > b.ciRun ? -1 : 0)

const isSome = (runs: ReadonlyArray<PastRun>): runs is TestResult["runs"] => runs.length > 0

/** Results with more runs, in any order and not yet cut, newest first. A run that they have already changes nothing. */
const including = (results: ReadonlyArray<TestResult>, runs: ReadonlyArray<TestRun>): ReadonlyArray<TestResult> => {
  if (runs.length === 0) return results
  const byCiRun = new Map(results.map((result) => [result.ciRun, result]))
  for (const [ciRun, added] of groupedBy(runs, ciRunOf)) {
    const known = byCiRun.get(ciRun)?.runs ?? []
    const ids = new Set(known.map(({ runId }) => runId))
    const all = [...known, ...added.filter(({ id }) => !ids.has(id)).map(pastRunOf)]
      .toSorted(newerFirst)
      .slice(0, mostRunsOfResult)
    if (isSome(all)) byCiRun.set(ciRun, { ciRun, runs: all })
  }
  return Array.from(byCiRun.values()).toSorted(laterFirst)
}

/** How long the texts of a result's runs are, with 100 characters for all else of a run. */
const charactersOf = ({ runs }: TestResult): number =>
  runs.reduce(
    (sum, { branch = "", device = "", message = "", source = "" }) =>
      sum + 100 + branch.length + device.length + message.length + source.length,
    0
  )

const lastWithin = (results: ReadonlyArray<TestResult>): number => firstBeyond(results, mostCharacters, charactersOf)

/** Whether a history with these results may have dropped others, which began before them. */
const isFull = (results: ReadonlyArray<TestResult>): boolean =>
  results.length >= mostResults || lastWithin(results) !== -1

/**
 * The last 100 results of runs that are given in any order, newest first, beside what is known already of others. Fewer if their texts
 * are long.
 */
export const resultsOf = (
  runs: ReadonlyArray<TestRun>,
  known: ReadonlyArray<TestResult> = []
): ReadonlyArray<TestResult> => {
  const results = including(known, runs).slice(0, mostResults)
  const last = lastWithin(results)
  return last === -1 ? results : results.slice(0, last + 1)
}

const excluding = (results: ReadonlyArray<TestResult>, id: TestRun["id"]): ReadonlyArray<TestResult> =>
  results
    .flatMap((result) => {
      const runs = result.runs.filter(({ runId }) => runId !== id)
      return isSome(runs) ? [{ ...result, runs }] : []
    })
    .toSorted(laterFirst)

/**
 * How a test ended in one CI run. Runs of later attempts replace those of earlier ones, see `attemptsOf`; it failed if one that
 * isn't replaced did. Runs without a source have no attempts: the last one decides. `mixed` tells that there were both outcomes.
 */
export const endOf = ({ ciRun, runs }: TestResult): { readonly status: TestRunStatus; readonly mixed: boolean } => {
  const [last, ...earlier] = runs
  const mixed = runs.some((run) => run.mixed === true || run.status !== last.status)
  if (earlier.length === 0 || !ciRun.startsWith("source-")) return { status: last.status, mixed }
  const latest = attemptsOf(runs, ({ device, source, status }) => ({
    kind: "",
    device: { name: device },
    source,
    status
  }))
  return { status: latest.every(([run]) => run.status === "passed") ? "passed" : "failed", mixed }
}

/** How a test ended in one CI run: `flaky` is passed, and not only. */
export const outcomeOf = (end: ReturnType<typeof endOf>): TestOutcome =>
  end.status === "passed" && end.mixed ? "flaky" : end.status

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
  return Arr.zipWith(results, ends, (result, { mixed, status }) => {
    const flaky = mixed || mixedCommits.has(result.runs[0].commitSha ?? "")
    return { ciRun: result.ciRun, runs: result.runs, status, flaky, outcome: outcomeOf({ status, mixed: flaky }) }
  })
}

/** The values below or at which these shares of the values are (nearest rank); `undefined` of none. */
const percentiles = <const Shares extends ReadonlyArray<number>>(values: ReadonlyArray<number>, ...shares: Shares) => {
  const sorted = Float64Array.from(values).sort()
  return shares.map((share) => sorted[Math.max(0, Math.ceil(values.length * share) - 1)])
}

/** The value below or at which this share of the values is (nearest rank); `undefined` of none. */
export const percentile = (values: ReadonlyArray<number>, share: number): number | undefined =>
  percentiles(values, share)[0]

const letters = { passed: "p", failed: "f", flaky: "k" } as const

const pointOf = ({ at, commitSha, runId }: PastRun): RunPoint => ({ runId, at, ...withoutUndefined({ commitSha }) })

/** The run of a result that shows how it ended. */
export const tellingRun = ({ runs, status }: JudgedResult): PastRun =>
  runs.find((run) => run.status === status) ?? runs[0]

const durations = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<number> =>
  results.flatMap((result) => tellingRun(result).durationMs ?? [])

const mostPatterns = 1000
const patterns = new Map<string, string>()

/** The pattern of a message, computed once for the registrations that find the message in a history. */
const patternOf = (message: string): string => {
  const known = patterns.get(message)
  if (known !== undefined) return known
  if (patterns.size === mostPatterns) patterns.clear()
  const pattern = messagePattern(message)
  patterns.set(message, pattern)
  return pattern
}

/** The first of the messages with the most frequent pattern. */
const mostFrequent = (messages: ReadonlyArray<string>): string | undefined => {
  const groups = Array.from(groupedBy(messages, patternOf).values())
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0]
}

/** The newest messages, as many as results in a sparkline. */
const recentMessages = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const { runs } of results) {
    for (const { message } of runs) {
      if (message !== undefined && found.push(message) === recentResults) return found
    }
  }
  return found
}

const summaryOf = (
  results: readonly [JudgedResult, ...ReadonlyArray<JudgedResult>],
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
      p50Ms,
      recentP50Ms: percentile(durations(results.slice(0, recentResults)), 0.5),
      earlierP50Ms: percentile(durations(results.slice(recentResults, 2 * recentResults)), 0.5),
      failingSince: since && pointOf(tellingRun(since)),
      lastPassed: passed && pointOf(tellingRun(passed)),
      lastMessage: messages[0],
      frequentMessage: mostFrequent(messages)
    })
  }
}

/** Whether a test failed in the result before that of a CI run, or, where it has none of it, in the last. */
export const isBrokenBefore = (results: ReadonlyArray<TestResult>, ciRun: string): boolean => {
  const before = results[results.findIndex((result) => result.ciRun === ciRun) + 1]
  return before !== undefined && endOf(before).status === "failed"
}

/** Whether the runs of a test in one CI run, the latest attempt first, passed in the end and not only. */
export const isFlakyTest = ([latest, ...earlier]: ReadonlyArray<Pick<TestRun, "attempts" | "status">>): boolean =>
  latest?.status === "passed" && (isFlaky(latest) || earlier.some(({ status }) => status === "failed"))

/** The branch that a repository is shown by: as its link says, else `main`, `master`, or that with the most CI runs. */
export const defaultBranchOf = (
  { defaultBranch }: Pick<Repository, "defaultBranch">,
  branches: ReadonlyArray<{ readonly branch: string; readonly ciRuns: number }>
): string | undefined =>
  defaultBranch ??
  ["main", "master"].find((name) => branches.some(({ branch }) => branch === name)) ??
  branches.toSorted((a, b) => b.ciRuns - a.ciRuns)[0]?.branch

/** What a history has beside what its results tell. */
type Owner = Pick<TestRun, "accountId" | "repositoryId" | "kind" | "name" | "prompt" | "file" | "device">

/** The history with these results; none without a result. */
export const historyOf = (
  run: Owner,
  { branch, version }: { readonly branch: string | undefined; readonly version: number },
  results: ReadonlyArray<TestResult>
): TestHistory | undefined => {
  const [last, ...earlier] = judged(results)
  if (last === undefined) return undefined
  const flaky = [last, ...earlier].find((result) => result.flaky)
  const { accountId, device, file, kind, name, prompt, repositoryId } = run
  const [p50Ms, p95Ms] = percentiles(durations([last, ...earlier]), 0.5, 0.95)
  return {
    testId: testIdOf(run),
    accountId,
    repositoryId,
    version,
    kind,
    lastRunAt: DateTime.makeUnsafe(resultStart(last)),
    lastStatus: last.status,
    summary: summaryOf([last, ...earlier], p50Ms),
    results,
    ...withoutUndefined({
      branch,
      name,
      prompt: name === undefined ? prompt : undefined,
      file,
      platform: device?.platform,
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
      const own = results.find(({ ciRun }) => ciRun === ciRunOf(run))
      if ((own === undefined ? began : startOf(run)) <= resultStart(oldest)) return true
      return own?.runs.length === mostRunsOfResult && !isFull(including(results, [run]))
    })
  )
}

const none: CiRunTotals = { passed: 0, failed: 0, flaky: 0, runs: 0, durationMs: 0 }

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
    { ...none, ...outcomeIn(before, ciRun) },
    { ...none, ...outcomeIn(after, ciRun) }
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
  const own = ciRunOf(run)
  const known = including(resultsIn(loaded.all), stored).filter(({ ciRun }) => ciRun === own)
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
