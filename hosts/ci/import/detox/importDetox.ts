/**
 * Makes runs of the output of `detox test`. `detox.trace.json` comes first, as it lists every attempt; then Jest's
 * results; then jest-junit's report.
 */
import { basename, dirname, isAbsolute, resolve } from "node:path"
import sanitize from "sanitize-filename"
import { groupedBy } from "../../../../core/rules/attempts.ts"
import { plainLine } from "../../../../core/model/plainText.ts"
import { isWithin, statOf } from "../../command/walk.ts"
import {
  filesBelow,
  filesOf,
  foldersBelow,
  foldersInCommon,
  inRepository,
  isSendable,
  recordingType,
  shown
} from "../files.ts"
import { isBrokenJson, textIn } from "../json.ts"
import { mayBeReport, readReport, type Report, unknownIn, withoutCopies } from "../junit.ts"
import type { Mask } from "../mask.ts"
import {
  failedAttempt,
  type ImportLog,
  interruptedRun,
  logStart,
  type RecordedAttempt,
  type RecordedFile,
  type RecordedRun
} from "../recordedRun.ts"
import {
  isEnd,
  type JestFailedFile,
  type JestResults,
  type JestTest,
  notRunAs,
  readJest,
  resultsOfJUnit
} from "./jest.ts"
import { hideTypedIn, readTrace, type Trace, type TracedAttempt, type TracedFile, withoutTyped } from "./trace.ts"

/** How the folder of a run of Detox is called without when it ran: `ios.sim.release`. */
const configurationOf = (folder: string): string => basename(folder).replace(/\.\d{4}-\d\d-\d\d \d\d-\d\d-\d\dZ$/, "")

const withoutCopiesOf = <A>(all: ReadonlyArray<A>, contentOf: (one: A) => unknown): ReadonlyArray<A> =>
  [...groupedBy(all, contentOf).values()].flatMap((copies) => copies.slice(0, 1))

/** What is equal in copies of a trace alone: the instants of its tests. */
const contentOf = (trace: Trace): unknown =>
  trace.attempts.length === 0
    ? trace
    : JSON.stringify([
        trace.isWhole,
        ...trace.attempts.map(({ endedAt, fullName, startedAt, status }) => [fullName, status, startedAt, endedAt])
      ])

const logOfDetox = /^(.+)\.\d+\.detox\.jsonl$/

/** Reads everything that the paths name or hold, and the recordings below the folders of artifacts. */
export const importDetox = async (
  paths: ReadonlyArray<string>,
  artifactFolders: ReadonlyArray<string>,
  cwd: string,
  mask: Mask,
  log: ImportLog
): Promise<ReadonlyArray<RecordedRun>> => {
  const readTraces: Array<Trace> = []
  const logs: Array<string> = []
  const readResults: Array<JestResults> = []
  const read: Array<Report> = []
  const broken: Array<string> = []
  for (const found of filesOf([...paths, ...artifactFolders], cwd, log)) {
    const { isNamed, path } = found
    if (basename(path) === "detox.trace.json") readTraces.push(await readTrace(path, [], mask, log))
    else if (logOfDetox.test(basename(path))) logs.push(path)
    else if (/\.json(?:\.gz)?$/i.test(path)) {
      const text = textIn(path)
      hideTypedIn(text.replaceAll('\\"', '"'), mask)
      const result = readJest(path, text, log)
      if (result !== undefined) readResults.push(result)
      else if (isBrokenJson(path, isNamed)) broken.push(path)
    } else if (mayBeReport(found)) {
      const report = await readReport("Detox", found, log)
      if (report !== undefined) read.push(report)
    }
  }
  // Detox makes one trace of all logs of a run, unless it is ended by a signal.
  for (const [path, of] of groupedBy(logs, (log) => log.replace(/\.\d+\.detox\.jsonl$/, "")))
    readTraces.push(await readTrace(path, of, mask, log))
  const traces = withoutCopiesOf(readTraces, contentOf)
  const results = withoutCopiesOf(readResults, (one) =>
    one.startedAt === undefined ? one : JSON.stringify({ ...one, path: undefined })
  )
  const tests = traces.flatMap(testsOf)
  const files = traces.flatMap(failedFilesOf)
  for (const one of results) addResults(one, tests, files)
  const added = withoutCopies(read.filter(({ refusal }) => refusal === undefined))
    .map(resultsOfJUnit)
    .map((report) => {
      if (isReported(report, traces, results)) return additionsOf(report, traces, results)
      log.note(
        `${shown(cwd, report.path)} was written by jest-junit, which passes todos and leaves out files that didn't load: ` +
          "detox.trace.json and the results of `jest --json` have more."
      )
      return report
    })
  for (const report of added) addResults(report, tests, files)
  for (const { fullName, status } of [
    ...traces.flatMap(({ attempts }) => attempts),
    ...[...results, ...added].flatMap((one) => one.tests)
  ]) {
    const notRun = notRunAs(status)
    if (notRun !== undefined) log.skipped({ name: fullName, status: notRun })
  }

  const roots: Array<string> = []
  for (const path of new Set([...artifactFolders, ...paths].map((one) => resolve(cwd, one)))) {
    if (statOf(path)?.isDirectory() === true) roots.push(path)
  }
  const artifacts = findArtifacts(roots, log)
  const runs: Array<RecordedRun> = []
  for (const test of tests) runs.push(runOfTest(test, artifacts, cwd))
  for (const file of files) runs.push(runOfFile(file, cwd))

  for (const { interruption, path } of traces) {
    if (interruption !== undefined)
      runs.push(interruptedRun("detox", configurationOf(dirname(path)), interruption, path))
  }
  const isWholeTrace = ({ interruption, isWhole }: Trace) => isWhole && interruption === undefined
  for (const { interruption, path, startedAt, tests } of [...results, ...added]) {
    const isTraced = traces.some(
      (trace) =>
        isWholeTrace(trace) &&
        isDuring(startedAt, trace) &&
        isWithin(dirname(path), trace.path) &&
        tests.every(({ fullName }) => trace.attempts.some((attempt) => attempt.fullName === fullName))
    )
    if (interruption !== undefined && !isTraced) runs.push(interruptedRun("detox", basename(path), interruption, path))
  }
  for (const path of broken) runs.push(interruptedRun("detox", basename(path), `${basename(path)} can't be read`, path))
  const refused = read.filter(({ refusal }) => refusal !== undefined)
  for (const { path, reason } of unknownIn(refused, runs.length > 0))
    runs.push(interruptedRun("detox", basename(path), reason, path))
  const named = new Set(tests.map(({ fullName }) => folderName(fullName, "", 1).normalize("NFC")))
  const traced = new Set(traces.map(({ path }) => dirname(path)))
  for (const { folder, tests } of artifacts.sessions) {
    if (traced.has(folder) || tests.some(({ name }) => named.has(name))) continue
    const known = tests.map(({ folder }) => folder).join(", ")
    const reason = `Detox wrote recordings and no results, so the outcome of its tests is unknown. Its folders: ${known}`
    runs.push(interruptedRun("detox", configurationOf(folder), reason, folder))
  }
  return runs
}

// Which tests and files a run had, by all sources together: the traces, Jest's results, and jest-junit's reports.

/** One test: its attempts in a trace, and its entry in the results. */
interface Test {
  readonly fullName: string
  readonly trace: Trace | undefined
  readonly traced: Array<TracedAttempt>
  reported: { readonly test: JestTest; readonly path: string } | undefined
}

/** A file that failed as a whole. */
interface FailedFile {
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
const testsOf = (trace: Trace): ReadonlyArray<Test> => {
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

const failedFilesOf = (trace: Trace): ReadonlyArray<FailedFile> => {
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
const failedTestsOf = ({ attempts }: Trace, { endedAt, file, startedAt }: TracedFile): ReadonlyArray<TracedAttempt> => {
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
const isDuring = (at: number | undefined, { attempts, files, isWhole }: Trace): boolean =>
  at !== undefined &&
  [...files, ...attempts].some(
    ({ endedAt, startedAt }) => at >= startedAt - slack && (!isWhole || at <= endedAt + slack)
  )

/** A failure in the results that no attempt of a trace has belongs to another run: of a shard or another device. */
const hasEnd = (attempts: ReadonlyArray<{ readonly isFailed: boolean }>, isFailed: boolean): boolean =>
  !isFailed || attempts.some((attempt) => attempt.isFailed)

/** Adds the results to the tests that are known, or as tests of their own. */
const addResults = ({ failedFiles, path, tests }: JestResults, known: Array<Test>, files: Array<FailedFile>): void => {
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
const isReported = (
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
const additionsOf = (
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

// Makes the run of a test, or of a file that failed as a whole.

const joined = (messages: ReadonlyArray<string | undefined>): string | undefined => {
  const known = messages.filter((message) => message !== undefined)
  return known.length === 0 ? undefined : [...new Set(known)].join("\n\n")
}

/** What joins tests that failed: a hook after them that failed too. */
const failedAround = (trace: Trace, attempt: TracedAttempt): string | undefined =>
  trace.files.find((file) => file.isFailed && !file.isOpen && failedTestsOf(trace, file).includes(attempt))
    ?.failureMessage

const tracedAttempts = (test: Test, trace: Trace, artifacts: Artifacts): ReadonlyArray<RecordedAttempt> =>
  test.traced.map((attempt, index) => {
    // Jest reports its last round, with the location of the failure in the sources.
    const isLast = index === test.traced.length - 1
    const result =
      isLast && !attempt.isOpen && test.reported?.test.status === attempt.status ? test.reported.test : undefined
    const message = joined([
      result?.failureMessage ?? attempt.failureMessage,
      result === undefined ? failedAround(trace, attempt) : undefined
    ])
    return {
      status: attempt.status,
      startedAt: Math.round(attempt.startedAt),
      durationMs: result?.durationMs ?? Math.round(attempt.endedAt - attempt.startedAt),
      failureMessage: message === undefined ? undefined : withoutTyped(message),
      steps: attempt.steps,
      failingStep: attempt.failingStep,
      recordings: artifacts.of({ ...attempt, reportedBy: trace.path })
    }
  })

const reportedAttempts = (
  { path, test }: NonNullable<Test["reported"]>,
  artifacts: Artifacts
): ReadonlyArray<RecordedAttempt> =>
  Array.from({ length: test.invocations }, (_, index) => {
    const isLast = index === test.invocations - 1
    const status = isLast ? test.status : "failed"
    const message = isLast ? test.failureMessage : test.retryReasons[index]
    const startedAt = isLast ? (test.startedAt ?? (test.invocations === 1 ? test.fileStartedAt : undefined)) : undefined
    const durationMs = isLast ? test.durationMs : undefined
    const endedAt = startedAt === undefined || durationMs === undefined ? undefined : startedAt + durationMs
    return {
      status,
      startedAt,
      durationMs,
      failureMessage: message === undefined ? undefined : withoutTyped(message),
      steps: [],
      failingStep: undefined,
      recordings: artifacts.of({
        reportedBy: path,
        fullName: test.fullName,
        status,
        invocation: index + 1,
        startedAt,
        endedAt,
        screenshots: [],
        partEnds: new Map()
      })
    }
  })

const noReason = "The file failed, and Detox gives no reason: the results of `jest --json` have it."

const withAttempts = (
  run: Omit<RecordedRun, "kind" | "attempts" | "tags">,
  [first = failedAttempt(noReason), ...rest]: ReadonlyArray<RecordedAttempt>
): RecordedRun => ({ kind: "detox", tags: [], ...run, attempts: [first, ...rest] })

const deviceOf = (trace: Trace | undefined, name: string | undefined): RecordedRun["device"] => {
  const platform = trace?.platform
  if (name === undefined && platform === undefined) return undefined
  return { ...(name === undefined ? {} : { name }), ...(platform === undefined ? {} : { platform }) }
}

/** The file of a test: by its whole path, from Jest's results, or relative to where Jest was started, from a trace. */
const fileOf = (path: string | undefined, traced: string | undefined, cwd: string): string | undefined => {
  const whole = path === undefined ? undefined : inRepository(path, cwd)
  const file = whole === undefined || isAbsolute(whole) ? (traced ?? whole) : whole
  return file?.replaceAll("\\", "/")
}

const runOfTest = (test: Test, artifacts: Artifacts, cwd: string): RecordedRun => {
  const { fullName, reported, trace, traced } = test
  const attempts =
    trace !== undefined
      ? tracedAttempts(test, trace, artifacts)
      : reported === undefined
        ? []
        : reportedAttempts(reported, artifacts)
  return withAttempts(
    {
      name: plainLine(fullName) || "A test without a name",
      device: deviceOf(trace, traced.at(-1)?.device),
      file: fileOf(reported?.test.file, traced[0]?.file, cwd),
      from: trace?.path ?? reported?.path ?? ""
    },
    attempts
  )
}

const runOfFile = ({ file, path: from, reported, trace, traced }: FailedFile, cwd: string): RecordedRun => {
  const path = fileOf(reported?.file, trace === undefined ? undefined : file, cwd) ?? file
  const attempts = traced.map((one, index): RecordedAttempt => {
    const isLast = index === traced.length - 1
    // Of a file that never ended, results of an earlier round say nothing of the tests that are missing.
    const message = one.isOpen
      ? joined([one.failureMessage, reported?.failureMessage])
      : ((isLast ? reported?.failureMessage : undefined) ?? one.failureMessage)
    return {
      status: one.isFailed ? "failed" : "passed",
      startedAt: Math.round(one.startedAt),
      durationMs: Math.round(one.endedAt - one.startedAt),
      failureMessage: one.isFailed ? withoutTyped(message ?? reported?.failureMessage ?? noReason) : undefined,
      steps: one.steps,
      failingStep: one.failingStep,
      recordings: []
    }
  })
  const alone = {
    ...failedAttempt(withoutTyped(reported?.failureMessage ?? noReason)),
    startedAt: reported?.startedAt,
    durationMs: reported?.durationMs
  }
  return withAttempts(
    { name: path, file: path, device: deviceOf(trace, undefined), from },
    attempts.length === 0 ? [alone] : attempts
  )
}

// Finds what Detox recorded of an attempt: by the name that Detox gives to its folder, never by taking names apart.

/** The attempt, and the source of its files' times. */
interface AttemptRecorded {
  /** The trace or the results that list it: of folders with one name, the nearest one belongs to it. */
  readonly reportedBy: string
  readonly fullName: string
  readonly status: string
  readonly invocation: number
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly screenshots: ReadonlyArray<{ readonly name: string; readonly at: number }>
  readonly partEnds: ReadonlyMap<string, number>
}

/** The folders of tests below some folders. */
interface Artifacts {
  readonly of: (attempt: AttemptRecorded) => ReadonlyArray<RecordedFile>
  /** The folders that hold folders of tests, one for each run of Detox. */
  readonly sessions: ReadonlyArray<{
    readonly folder: string
    /** The folder of each attempt, and the test's name in it. */
    readonly tests: ReadonlyArray<{ readonly folder: string; readonly name: string }>
  }>
}

/** File systems and archives may write an accent as a character of its own. */
const sameText = (name: string): string => name.normalize("NFC")

const failurePart = /^(test_?[Ff]n|beforeEach|afterEach|beforeAll|afterAll)Failure\.\w+$/

/** When a file was made, by its name. */
const momentOf = (name: string, attempt: AttemptRecorded): number | undefined => {
  const { endedAt, partEnds, screenshots, startedAt } = attempt
  if (name.startsWith("testStart.")) return startedAt
  const part = failurePart.exec(name)?.[1]
  if (part !== undefined) return partEnds.get(part === "testFn" ? "test_fn" : part) ?? endedAt
  return screenshots.find((taken) => sameText(screenshotName(taken.name)) === sameText(name))?.at ?? endedAt
}

/** Finds the folders of tests below the folders that are given. */
const findArtifacts = (roots: ReadonlyArray<string>, log: ImportLog): Artifacts => {
  const byName = new Map<string, ReadonlySet<string>>()
  for (const root of roots) {
    for (const folder of foldersBelow(root)) {
      const name = sameText(basename(folder))
      byName.set(name, new Set([...(byName.get(name) ?? []), folder]))
    }
  }
  const signed = [...byName.entries()].flatMap(([name, folders]) => (/^[✓✗] /.test(name) ? [...folders] : []))
  const sessions = Array.from(groupedBy(signed, dirname), ([folder, tests]) => ({
    folder,
    tests: tests.map((test) => ({
      folder: basename(test),
      name: sameText(basename(test))
        .replace(/^. /, "")
        .replace(/ \(\d+\)$/, "")
    }))
  }))
  return {
    sessions,
    of: (attempt) => {
      const { fullName, invocation, startedAt, status, reportedBy } = attempt
      const name = sameText(folderName(fullName, status, invocation))
      const near = (folder: string) => foldersInCommon(folder, dirname(reportedBy))
      const [folder] = [...(byName.get(name) ?? [])].toSorted((one, other) => near(other) - near(one))
      if (folder === undefined) return []
      const found: Array<RecordedFile> = []
      for (const { path } of filesBelow(folder, log)) {
        const name = path.slice(folder.length + 1).replaceAll("\\", "/")
        if (!isSendable(folder, path, log)) continue
        const { contentType, kind } = recordingType(path)
        // What Instruments and Xcode make are folders full of files that only they can read.
        if (kind === "other" && name.includes("/")) {
          log.note(`Not sent: folders such as ${name.split("/")[0]}, which only Xcode and Instruments can read.`)
          continue
        }
        const at =
          kind === "screenshot" ? momentOf(name, attempt) : kind === "log" ? logStart(path, startedAt) : undefined
        const ofFailure = failurePart.test(name)
        found.push({ path, name, kind, contentType, startedAt: at ?? startedAt, ofFailure })
      }
      return found
    }
  }
}

// The names that Detox gives to the folder of a test and to the files in it.

const most = 255

const named = (prefix: string, name: string, suffix: string): string => {
  const kept = name.slice(-most + prefix.length + suffix.length)
  return sanitize(`${prefix}${kept}${suffix}`, { replacement: "_" }).replaceAll("$", "_")
}

/**
 * The folder of an attempt: its sign, the end of the test's name and, from the second attempt on, its number. What is too
 * long is cut to 255 characters at the beginning and then to 255 bytes at the end, where the number may get lost.
 */
export const folderName = (fullName: string, status: string, invocation: number): string => {
  const sign = status === "passed" ? "✓ " : status === "failed" ? "✗ " : ""
  return named(sign, fullName, invocation > 1 ? ` (${invocation})` : "")
}

/** A screenshot that a test named. */
export const screenshotName = (name: string): string => named("", `${name}.png`, "")
