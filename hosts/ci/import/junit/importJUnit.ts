/** Makes runs of any JUnit report: a run of each test case, with what it printed and the files that it names as attachments. */
import { basename } from "node:path"
import type { TestRunKind } from "../../../client/index.ts"
import { plainLine, plainLines } from "../../command/plainText.ts"
import { attachedFile } from "../attachments.ts"
import { filesOf, inRepository, recordingType } from "../files.ts"
import type { ImportLog } from "../ImportLog.ts"
import { durationMsOf, mayBeReport, readJUnit, withoutCopies, type Report, type TestCase } from "../junit.ts"
import {
  failedAttempt,
  interrupted,
  type RecordedAttempt,
  type RecordedFile,
  type RecordedRun
} from "../recordedRun.ts"

/** How Playwright and others name a file in the output of a test: by a path from the report, or from where the tests ran. */
const attachment = /\[\[ATTACHMENT\|(.+?)\]\]\n?/g

const recordingsOf = (
  { failure, output }: TestCase,
  report: string,
  named: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): ReadonlyArray<RecordedFile> => {
  const of = { startedAt: undefined, ofFailure: failure !== undefined }
  const printed = output.replaceAll(attachment, "").trim()
  const recordings: Array<RecordedFile> = []
  if (printed !== "")
    recordings.push({ ...of, ...recordingType("output.log"), path: report, name: "output.log", text: `${printed}\n` })
  for (const [, path = ""] of output.matchAll(attachment)) {
    const file = attachedFile(path.trim(), report, named, cwd, log)
    if (file !== undefined) recordings.push({ ...of, ...recordingType(file), path: file, name: basename(file) })
  }
  return recordings
}

const attemptsOf = (earlier: ReadonlyArray<string>, last: RecordedAttempt): RecordedRun["attempts"] => {
  const [first, ...more] = earlier.map((message) => failedAttempt(plainLines(message)))
  return first === undefined ? [last] : [first, ...more, last]
}

const runOf = (
  kind: TestRunKind,
  one: TestCase,
  { path }: Report,
  named: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): RecordedRun => {
  const { device, earlierFailures, failure, file, fullName, interruption } = one
  const message = failure === undefined ? undefined : plainLines(failure) || "The report gives no reason."
  const isFailed = failure !== undefined || interruption !== undefined
  return {
    kind,
    name: plainLine(fullName),
    attempts: attemptsOf(earlierFailures, {
      status: isFailed ? "failed" : "passed",
      startedAt: undefined,
      durationMs: durationMsOf(one),
      failureMessage: interruption === undefined ? message : interrupted(interruption, message),
      steps: [],
      failingStep: undefined,
      recordings: recordingsOf(one, path, named, cwd, log)
    }),
    device: device === undefined ? undefined : { name: plainLine(device, 200) },
    file: file === undefined ? undefined : inRepository(file, cwd),
    tags: [],
    from: path
  }
}

const noReport = "It is no JUnit report."

/** Reads the JUnit reports that the paths name or hold. Skipped tests are reported, and are no runs. */
export const importJUnit = async (
  kind: TestRunKind,
  paths: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): Promise<ReadonlyArray<RecordedRun>> => {
  const reports: Array<Report> = []
  const others: Array<string> = []
  for (const found of filesOf(paths, cwd, log)) {
    if (!mayBeReport(found)) continue
    const report = await readJUnit(found.path, log)
    if (report !== undefined) reports.push(report)
    else if (found.isNamed) {
      log.problem({ file: found.path, reason: noReport })
      others.push(found.path)
    }
  }
  const runs: Array<RecordedRun> = []
  const unknown = (path: string, reason: string): RecordedRun => {
    const attempts = [failedAttempt(interrupted(reason))] as const
    return { kind, name: basename(path), attempts, device: undefined, file: undefined, tags: [], from: path }
  }
  for (const report of withoutCopies(reports)) {
    for (const [index, one] of report.cases.entries()) {
      if (one.isSkipped) log.skipped({ name: one.fullName, status: "skipped" }, JSON.stringify([report.path, index]))
      else runs.push(runOf(kind, one, report, paths, cwd, log))
    }
    const reason = report.interruption ?? report.lacking
    if (reason !== undefined) runs.push(unknown(report.path, reason))
  }
  return runs.length === 0 ? runs : [...runs, ...others.map((path) => unknown(path, `${basename(path)}: ${noReport}`))]
}
