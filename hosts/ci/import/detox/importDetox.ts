/**
 * Makes runs of the output of `detox test`. `detox.trace.json` comes first, as it lists every attempt; then Jest's
 * results; then jest-junit's report. `reportedTests.ts` combines them, `recordedRuns.ts` makes the runs.
 */
import { readFile } from "node:fs/promises"
import { basename, dirname, extname, resolve } from "node:path"
import { groupedBy } from "../../../../core/rules/attempts.ts"
import { isWithin, statOf } from "../../command/walk.ts"
import { filesOf, shown } from "../files.ts"
import type { ImportLog } from "../ImportLog.ts"
import { mayBeReport, readReport, unknownIn, withoutCopies, type Report } from "../junit.ts"
import type { Mask } from "../mask.ts"
import type { RecordedRun } from "../recordedRun.ts"
import { findArtifacts } from "./artifacts.ts"
import { folderName } from "./folderName.ts"
import { readJest, type JestResults } from "./jest.ts"
import { resultsOfJUnit } from "./jestJunit.ts"
import { interruptedRun, runOfFile, runOfTest } from "./recordedRuns.ts"
import { notRunAs } from "./statuses.ts"
import { additionsOf, addResults, failedFilesOf, isDuring, isReported, testsOf } from "./reportedTests.ts"
import { readTrace, type Trace } from "./trace.ts"
import { hideTypedIn } from "./typed.ts"

/** How the folder of a run of Detox is called without when it ran: `ios.sim.release`. */
const configurationOf = (folder: string): string => basename(folder).replace(/\.\d{4}-\d\d-\d\d \d\d-\d\d-\d\dZ$/, "")

const logOfDetox = /^(.+)\.\d+\.detox\.jsonl$/

/** Reads everything that the paths name or hold, and the recordings below the folders of artifacts. */
export const importDetox = async (
  paths: ReadonlyArray<string>,
  artifactFolders: ReadonlyArray<string>,
  cwd: string,
  mask: Mask,
  log: ImportLog
): Promise<ReadonlyArray<RecordedRun>> => {
  const traces: Array<Trace> = []
  const logs: Array<string> = []
  const results: Array<JestResults> = []
  const read: Array<Report> = []
  for (const found of filesOf([...paths, ...artifactFolders], cwd, log)) {
    const { path } = found
    if (basename(path) === "detox.trace.json") traces.push(await readTrace(path, [], mask, log))
    else if (logOfDetox.test(basename(path))) logs.push(path)
    else if (extname(path) === ".json") {
      const text = await readFile(path, "utf8")
      hideTypedIn(text.replaceAll('\\"', '"'), mask)
      const result = readJest(path, text, log)
      if (result !== undefined) results.push(result)
    } else if (mayBeReport(found)) {
      const report = await readReport("Detox", found, log)
      if (report !== undefined) read.push(report)
    }
  }
  // Detox makes one trace of all logs of a run, unless it is ended by a signal.
  for (const [path, of] of groupedBy(logs, (log) => log.replace(/\.\d+\.detox\.jsonl$/, "")))
    traces.push(await readTrace(path, of, mask, log))
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
    if (interruption !== undefined) runs.push(interruptedRun(configurationOf(dirname(path)), interruption, path))
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
    if (interruption !== undefined && !isTraced) runs.push(interruptedRun(basename(path), interruption, path))
  }
  const refused = read.filter(({ refusal }) => refusal !== undefined)
  for (const { path, reason } of unknownIn(refused, runs.length > 0))
    runs.push(interruptedRun(basename(path), reason, path))
  const named = new Set(tests.map(({ fullName }) => folderName(fullName, "", 1).normalize("NFC")))
  const traced = new Set(traces.map(({ path }) => dirname(path)))
  for (const { folder, tests } of artifacts.sessions) {
    if (traced.has(folder) || tests.some(({ name }) => named.has(name))) continue
    const known = tests.map(({ folder }) => folder).join(", ")
    const reason = `Detox wrote recordings and no results, so the outcome of its tests is unknown. Its folders: ${known}`
    runs.push(interruptedRun(configurationOf(folder), reason, folder))
  }
  return runs
}
