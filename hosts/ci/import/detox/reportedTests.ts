/** Which tests and files a run had, by all sources together: the traces, Jest's results, and jest-junit's reports. */
import { dirname } from "node:path"
import { isWithin } from "../../command/walk.ts"
import type { JestFailedFile, JestResults, JestTest } from "./jest.ts"
import { isEnd } from "./statuses.ts"
import type { Trace } from "./trace.ts"
import type { TracedAttempt, TracedFile } from "./traceWorker.ts"

/** One test: its attempts in a trace, and its entry in the results. */
export interface Test {
  readonly fullName: string
  readonly trace: Trace | undefined
  readonly traced: Array<TracedAttempt>
  reported: { readonly test: JestTest; readonly path: string } | undefined
}

/** A file that failed as a whole. */
export interface FailedFile {
  /** Its source. */
  readonly path: string
  readonly file: string
  readonly trace: Trace | undefined
  readonly traced: Array<TracedFile>
  reported: JestFailedFile | undefined
}

const isSameFile = (one: string | undefined, other: string | undefined): boolean => {
  if (one === undefined || other === undefined) return true
  const [a, b] = [one.replaceAll("\\", "/"), other.replaceAll("\\", "/")]
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)
}

/**
 * The tests of a trace. Two tests of one name in one file are distinguished by their attempts, which begin at 1 for
 * each.
 */
export const testsOf = (trace: Trace): ReadonlyArray<Test> => {
  const tests = new Map<string, Test>()
  const seen = new Map<string, number>()
  for (const attempt of trace.attempts.filter(({ status }) => isEnd(status))) {
    const { file, fullName, invocation } = attempt
    const again = JSON.stringify([file, fullName, invocation])
    const nth = seen.get(again) ?? 0
    seen.set(again, nth + 1)
    const key = JSON.stringify([file, fullName, nth])
    const test = tests.get(key)
    if (test === undefined) tests.set(key, { fullName, trace, traced: [attempt], reported: undefined })
    else test.traced.push(attempt)
  }
  return [...tests.values()]
}

export const failedFilesOf = (trace: Trace): ReadonlyArray<FailedFile> => {
  const failed = new Map<string, FailedFile>()
  for (const traced of trace.files) {
    const hasFailedTest = failedTestsOf(trace, traced).length > 0
    const before = failed.get(traced.file)
    if (before !== undefined) before.traced.push(traced)
    else if (traced.isOpen || (traced.isFailed && !hasFailedTest))
      failed.set(traced.file, { path: trace.path, file: traced.file, trace, traced: [traced], reported: undefined })
  }
  return [...failed.values()]
}

/** The tests that failed while a file was run: by their last attempts, as one that passed in the end is no failure of the file. */
export const failedTestsOf = (
  { attempts }: Trace,
  { endedAt, file, startedAt }: TracedFile
): ReadonlyArray<TracedAttempt> => {
  const last = new Map<string, TracedAttempt>()
  for (const attempt of attempts) {
    if (attempt.file === file && attempt.startedAt >= startedAt && attempt.endedAt <= endedAt)
      last.set(attempt.fullName, attempt)
  }
  return [...last.values()].filter(({ status }) => status === "failed")
}

/** The tolerance between the times of a trace and of results. */
const slack = 60_000

/** Whether results that began then are of the run that a trace is of: a truncated one may have run much longer. */
export const isDuring = (at: number | undefined, { attempts, files, isWhole }: Trace): boolean =>
  at !== undefined &&
  [...files, ...attempts].some(
    ({ endedAt, startedAt }) => at >= startedAt - slack && (!isWhole || at <= endedAt + slack)
  )

/** A failure in the results that no attempt of a trace has belongs to another run: of a shard or another device. */
const hasEnd = (attempts: ReadonlyArray<{ readonly isFailed: boolean }>, isFailed: boolean): boolean =>
  !isFailed || attempts.some((attempt) => attempt.isFailed)

/** Adds the results to the tests that are known, or as tests of their own. */
export const addResults = (
  { failedFiles, path, tests }: JestResults,
  known: Array<Test>,
  files: Array<FailedFile>
): void => {
  const before = known.length
  for (const test of tests.filter(({ status }) => isEnd(status))) {
    const isFailed = test.status === "failed"
    const same = known.slice(0, before).find(
      (one) =>
        one.reported === undefined &&
        one.trace !== undefined &&
        one.fullName === test.fullName &&
        isSameFile(one.traced[0]?.file, test.file) &&
        isDuring(test.fileStartedAt, one.trace) &&
        hasEnd(
          one.traced.map(({ status }) => ({ isFailed: status === "failed" })),
          isFailed
        )
    )
    if (same === undefined)
      known.push({ fullName: test.fullName, trace: undefined, traced: [], reported: { test, path } })
    else same.reported = { test, path }
  }
  for (const failed of failedFiles) {
    const same = files.find(
      (one) =>
        one.reported === undefined &&
        one.trace !== undefined &&
        isSameFile(one.file, failed.file) &&
        (failed.startedAt === undefined || isDuring(failed.startedAt, one.trace)) &&
        one.traced.at(-1)?.isFailed === true
    )
    if (same === undefined) files.push({ path, file: failed.file, trace: undefined, traced: [], reported: failed })
    else same.reported = failed
  }
}

/** A name of a test, with any separator between its parts. */
const plainName = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()

/** Whether a report of jest-junit has tests that better sources have too. */
export const isReported = (
  { tests }: JestResults,
  traces: ReadonlyArray<Trace>,
  results: ReadonlyArray<JestResults>
): boolean =>
  tests.some(
    ({ fileStartedAt, fullName }) =>
      traces.some(
        (trace) => trace.attempts.some((one) => one.fullName === fullName) && isDuring(fileStartedAt, trace)
      ) ||
      results.some((result) =>
        result.tests.some(
          (test) =>
            test.fullName === fullName &&
            Math.abs((test.fileStartedAt ?? 0) - (fileStartedAt ?? test.fileStartedAt ?? 0)) <= 1000
        )
      )
  )

/**
 * What a report of jest-junit adds to the better sources of the same tests: those of another shard, and its failures.
 */
export const additionsOf = (
  report: JestResults,
  traces: ReadonlyArray<Trace>,
  results: ReadonlyArray<JestResults>
): JestResults => {
  const tests = [...traces.flatMap(({ attempts }) => attempts), ...results.flatMap(({ tests }) => tests)]
  const names = new Set(tests.map(({ fullName }) => plainName(fullName)))
  const failed = new Set(tests.filter(({ status }) => status === "failed").map(({ fullName }) => plainName(fullName)))
  const isFileFailed =
    [
      ...traces.flatMap(({ files }) => files.filter((file) => file.isFailed)),
      ...results.flatMap((one) => one.failedFiles)
    ].length > 0
  // Sources in a folder of their own may be those of another shard.
  const isWhole =
    traces.every((trace) => trace.isWhole) &&
    results.every(({ interruption }) => interruption === undefined) &&
    [...traces, ...results].some(({ path }) => isWithin(dirname(report.path), path))
  return {
    ...report,
    interruption: isWhole ? undefined : report.interruption,
    tests: report.tests.filter(
      ({ fullName, isCut, status }) =>
        !names.has(plainName(fullName)) ||
        (status === "failed" && !failed.has(plainName(fullName)) && !(isCut && isWhole))
    ),
    failedFiles: isFileFailed ? [] : report.failedFiles
  }
}
