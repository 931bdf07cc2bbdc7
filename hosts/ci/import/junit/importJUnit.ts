/** Makes runs of any JUnit report: a run of each test case, with what it printed and the files that it names as attachments. */
import { basename, extname } from "node:path"
import type { TestRunKind } from "../../../client/index.ts"
import { plainLine, plainLines } from "../../command/plainText.ts"
import { attachedFile } from "../attachments.ts"
import { filesOf, inRepository, recordingType } from "../files.ts"
import type { ImportLog } from "../ImportLog.ts"
import { durationMsOf, fullNameOf, readJUnit, type Report, type TestCase } from "../junit.ts"
import {
  failedAttempt,
  interrupted,
  type RecordedAttempt,
  type RecordedFile,
  type RecordedRun
} from "../recordedRun.ts"

/** Tools for JavaScript, such as Playwright and Vitest, have the file of a test as its class. */
const isFile = (classname: string): boolean => /\.(?:[cm]?[jt]sx?|py|rb|feature)$/.test(classname)

const nameOf = (one: TestCase): string =>
  isFile(one.attributes["classname"] ?? "") ? (one.attributes["name"] ?? "") : fullNameOf(one)

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
  const { attributes, earlierFailures, failure, interruption, suite } = one
  const { classname = "" } = attributes
  const file = attributes["file"] ?? suite["file"] ?? (isFile(classname) ? classname : undefined)
  const message = failure === undefined ? undefined : plainLines(failure)
  const isFailed = failure !== undefined || interruption !== undefined
  return {
    kind,
    name: plainLine(nameOf(one)),
    attempts: attemptsOf(earlierFailures, {
      status: isFailed ? "failed" : "passed",
      startedAt: undefined,
      durationMs: durationMsOf(one),
      failureMessage: interruption === undefined ? message : interrupted(interruption, message),
      steps: [],
      failingStep: undefined,
      recordings: recordingsOf(one, path, named, cwd, log)
    }),
    device: undefined,
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
  const runs: Array<RecordedRun> = []
  for (const { path } of filesOf(paths, cwd, log)) {
    const report = extname(path) === ".xml" ? await readJUnit(path, log) : undefined
    if (report === undefined) continue
    for (const one of report.cases) {
      if (one.isSkipped && one.failure === undefined) log.skipped({ name: nameOf(one), status: "skipped" })
      else runs.push(runOf(kind, one, report, paths, cwd, log))
    }
    const unknown = report.interruption ?? report.lacking
    if (unknown === undefined) continue
    const attempts = [failedAttempt(interrupted(unknown))] as const
    runs.push({ kind, name: basename(path), attempts, device: undefined, file: undefined, tags: [], from: path })
  }
  return runs
}
