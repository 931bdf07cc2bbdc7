/** Makes runs of any JUnit report: a run of each test case, with what it printed and the files that it names as attachments. */
import { basename } from "node:path"
import type { TestRunKind } from "../../../client/index.ts"
import { plainLine, plainLines } from "../../command/plainText.ts"
import { attachedFile } from "../attachments.ts"
import { filesOf, inRepository, recordingType, type Found } from "../files.ts"
import type { ImportLog } from "../ImportLog.ts"
import {
  durationMsOf,
  mayBeReport,
  readReport,
  unknownIn,
  withoutCopies,
  type Report,
  type TestCase
} from "../junit.ts"
import { readOthers, withoutOtherForms } from "./otherResults.ts"
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

/** Reads the JUnit reports that the paths name or hold. Skipped tests are reported, and are no runs. */
export const importJUnit = async (
  kind: TestRunKind,
  paths: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): Promise<ReadonlyArray<RecordedRun>> => {
  const reports: Array<Report> = []
  const others: Array<Found> = []
  for (const found of filesOf(paths, cwd, log)) {
    const report = mayBeReport(found) ? await readReport("JUnit", found, log) : void others.push(found)
    if (report !== undefined) reports.push(report)
  }
  reports.push(...readOthers(others, log))
  const runs: Array<RecordedRun> = []
  for (const report of withoutOtherForms(withoutCopies(reports))) {
    for (const [index, one] of report.cases.entries()) {
      if (one.isSkipped) log.skipped({ name: one.fullName, status: "skipped" }, JSON.stringify([report.path, index]))
      else runs.push(runOf(kind, one, report, paths, cwd, log))
    }
  }
  const unknown = unknownIn(reports, runs.length > 0).map(({ path, reason }): RecordedRun => {
    const attempts = [failedAttempt(interrupted(reason))] as const
    return { kind, name: basename(path), attempts, device: undefined, file: undefined, tags: [], from: path }
  })
  return [...runs, ...unknown]
}
