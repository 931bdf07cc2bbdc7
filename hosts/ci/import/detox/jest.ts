/** Reads the results of Jest: `jest --json` of 29 and 30, and what jest-stare writes, which is Jest's own form. */
import { basename } from "node:path"
import { plainLine, plainLines } from "../../../../core/model/plainText.ts"
import { type Fields, fieldsOf, isCutJson, itemsOf, numberOf, parseJson, type Read, textOf, textsOf } from "../json.ts"
import { durationMsOf, type Report, type TestCase } from "../junit.ts"
import { type ImportLog, interrupted } from "../recordedRun.ts"

/** A test, as its file of results has it. */
export interface JestTest {
  /** The file that the test is written in. */
  readonly file: string | undefined
  /** When the file began, as the start of the test is unknown. */
  readonly fileStartedAt: number | undefined
  readonly startedAt: number | undefined
  readonly fullName: string
  /** `passed`, `failed`, or that it didn't run: `pending`, `todo`, `skipped`, `disabled`. */
  readonly status: string
  readonly durationMs: number | undefined
  readonly failureMessage: string | undefined
  /** Whether the report was cut in it, so that it counts as failed. */
  readonly isCut: boolean
  readonly invocations: number
  /** Why earlier attempts failed, as far as known. */
  readonly retryReasons: ReadonlyArray<string>
}

/** A file of tests that failed as a whole, in which no test failed. */
export interface JestFailedFile {
  readonly file: string
  readonly startedAt: number | undefined
  readonly durationMs: number | undefined
  readonly failureMessage: string
}

/** The content of a file of results. */
export interface JestResults {
  readonly path: string
  readonly startedAt: number | undefined
  /** Why a test may have failed that it doesn't list. */
  readonly interruption: string | undefined
  readonly tests: ReadonlyArray<JestTest>
  readonly failedFiles: ReadonlyArray<JestFailedFile>
}

const whole = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined || milliseconds < 0 ? undefined : Math.round(milliseconds)

/** What failed outside of the tests: in `testExecError`, or only as a part of the message of the file. */
const outsideOfTests = (result: Fields, message: string): string | undefined => {
  const error = fieldsOf(result["testExecError"])
  const { message: said, stack } = error
  const text = textOf(stack) ?? textOf(said)
  if (text !== undefined) return text
  const [, section] = /● Test suite failed to run\s*\n([\s\S]*?)(?=\n\s*● |$)/.exec(message) ?? []
  return section?.replaceAll(/^ {4}/gm, "").trim()
}

/** Jest 30.4 has a test without a name for a file that can't be loaded. */
const testsOf = (result: Fields): ReadonlyArray<Fields> =>
  itemsOf(result["assertionResults"] ?? result["testResults"])
    .map(fieldsOf)
    .filter(({ fullName, status, title }) => status !== "error" || (fullName ?? title ?? null) !== null)

const join = (messages: ReadonlyArray<string>): string | undefined => {
  const present = messages.filter((message) => message.trim() !== "")
  return present.length === 0 ? undefined : plainLines([...new Set(present)].join("\n\n"))
}

const resultOf = (result: Fields): Pick<JestResults, "tests" | "failedFiles"> => {
  const file = textOf(result["name"] ?? result["testFilePath"])
  const { end, start } = fieldsOf(result["perfStats"])
  const startedAt = whole(numberOf(result["startTime"] ?? start))
  const endedAt = whole(numberOf(result["endTime"] ?? end))
  const message = plainLines(textOf(result["message"] ?? result["failureMessage"]) ?? "", Infinity)
  const outside = outsideOfTests(result, message)
  const listed = testsOf(result)
  const tests = listed.map((test): JestTest => {
    const said = textOf(test["status"])
    const isUnknown = said === undefined || (!isEnd(said) && notRunAs(said) === undefined)
    const status = isUnknown ? "failed" : said
    const messages = textsOf(test["failureMessages"])
    const message = status === "failed" ? join([...messages, outside ?? ""]) : undefined
    const fullName =
      textOf(test["fullName"]) ?? [...textsOf(test["ancestorTitles"]), textOf(test["title"]) ?? ""].join(" ")
    return {
      file,
      fileStartedAt: startedAt,
      startedAt: whole(numberOf(test["startAt"])),
      fullName,
      status,
      durationMs: whole(numberOf(test["duration"])),
      failureMessage: isUnknown
        ? interrupted(`Jest says ${said === undefined ? "nothing" : plainLine(said, 100)} of how it ended`, message)
        : message,
      isCut: false,
      invocations: Math.max(1, Math.trunc(numberOf(test["invocations"]) ?? 1)),
      retryReasons: textsOf(test["retryReasons"]).map((reason) => plainLines(reason))
    }
  })
  const hasFailed = result["status"] === "failed" || result["testExecError"] !== undefined || outside !== undefined
  if (!hasFailed || tests.some(({ status }) => status === "failed")) return { tests, failedFiles: [] }
  const failureMessage = join([outside ?? message]) ?? "The file failed, and Jest gives no reason."
  // Jest gives no duration of a file that it couldn't load.
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt
  return { tests, failedFiles: [{ file: file ?? "A file of tests", startedAt, durationMs, failureMessage }] }
}

/** Why results don't list every test that may have failed. */
const interruptionOf = (
  path: string,
  read: Read,
  tests: ReadonlyArray<JestTest>,
  hasFailed: boolean
): string | undefined => {
  if ("whole" in read) return `${basename(path)} was cut after ${read.whole.length} whole files of tests`
  const { numFailedTestSuites, numFailedTests, numTotalTests, success, wasInterrupted } = fieldsOf(read.value)
  const count = (number: unknown): number => numberOf(number) ?? 0
  const has = tests.filter(({ status }) => status === "failed").length
  if (
    count(numFailedTests) > has ||
    count(numTotalTests) > tests.length ||
    (count(numFailedTestSuites) > 0 && !hasFailed)
  )
    return `${basename(path)} counts more tests, failures or failed files than it lists`
  if (hasFailed || (success !== false && wasInterrupted !== true)) return undefined
  return `${basename(path)} says that the tests ${success === false ? "failed" : "were interrupted"}, and lists none that failed`
}

/**
 * The results in a text; `undefined` of JSON that is something else. Of a file that was cut, the files that stand
 * whole: it may end before the fields that identify results.
 */
export const readJest = (path: string, text: string, log: ImportLog): JestResults | undefined => {
  if (!/"(?:testResults|assertionResults)"/.test(text) && !isCutJson(text)) return undefined
  const read = parseJson(path, text, "$.testResults.*", log)
  const results = "whole" in read ? read.whole : itemsOf(fieldsOf(read.value)["testResults"])
  const all = results.map((result) => resultOf(fieldsOf(result)))
  const tests = all.flatMap((one) => one.tests)
  const failedFiles = all.flatMap((one) => one.failedFiles)
  const hasFailed = failedFiles.length > 0 || tests.some(({ status }) => status === "failed")
  return {
    path,
    startedAt: numberOf(/"startTime"\s*:\s*(\d+)/.exec(text)?.[1]),
    interruption: interruptionOf(path, read, tests, hasFailed),
    tests,
    failedFiles
  }
}

// * Reads what jest-junit writes, for those who keep nothing else. It passes todos, leaves out files that didn't load, and
// lists hooks that failed as tests.

/** How jest-junit calls a failure outside of the tests of a file. */
const isOutside = ({ attributes }: TestCase): boolean => /^\s*Test execution failure\b/.test(attributes["name"] ?? "")

/** Such a failure is written as the JSON of an error. */
const outsideMessage = (failure: string): string => {
  const [, stack] = /"stack":("(?:[^"\\]|\\.)*")/.exec(failure) ?? []
  try {
    return stack === undefined ? failure : String(JSON.parse(stack))
  } catch {
    return failure
  }
}

/** jest-junit writes UTC without an offset. */
const startOf = ({ suite }: TestCase): number | undefined => {
  const at = Date.parse(`${suite["timestamp"] ?? ""}Z`)
  return Number.isNaN(at) ? undefined : at
}

/** The test cases of a report in the form of Jest's own results. */
export const resultsOfJUnit = ({ cases, interruption, lacking, path }: Report): JestResults => {
  const outside = new Map<unknown, Array<string>>()
  for (const one of cases.filter(isOutside)) {
    outside.set(one.suite, [...(outside.get(one.suite) ?? []), outsideMessage(one.failure ?? "")])
  }
  const inTests = cases.filter((one) => !isOutside(one))
  const tests = inTests.map((one): JestTest => {
    const failures = one.failure === undefined ? [] : [one.failure, ...(outside.get(one.suite) ?? [])]
    const message = failures.length === 0 ? undefined : plainLines(failures.join("\n\n"))
    return {
      file: one.attributes["file"] ?? one.suite["file"],
      fileStartedAt: startOf(one),
      startedAt: undefined,
      fullName: one.fullName,
      status: failures.length > 0 || one.interruption !== undefined ? "failed" : one.isSkipped ? "skipped" : "passed",
      durationMs: durationMsOf(one),
      failureMessage: one.interruption === undefined ? message : interrupted(one.interruption, message),
      isCut: one.interruption !== undefined,
      invocations: 1,
      retryReasons: []
    }
  })
  const failedFiles = [...outside].flatMap(([suite, messages]): ReadonlyArray<JestFailedFile> => {
    const first = cases.find((one) => one.suite === suite)
    const hasFailedTest = inTests.some((one) => one.suite === suite && one.failure !== undefined)
    if (first === undefined || hasFailedTest) return []
    const file = first.suite["file"] ?? first.suite["name"] ?? "A file of tests"
    return [
      { file, startedAt: startOf(first), durationMs: undefined, failureMessage: plainLines(messages.join("\n\n")) }
    ]
  })
  // A report that was cut in such a failure has no test that shows it.
  const cut =
    interruption ?? lacking ?? cases.find((one) => isOutside(one) && one.interruption !== undefined)?.interruption
  return { path, startedAt: undefined, interruption: cut, tests, failedFiles }
}

/** How Jest and Detox call a test that didn't run. */
const notRun: Readonly<Record<string, string>> = {
  pending: "skipped",
  skipped: "skipped",
  skip: "skipped",
  todo: "todo",
  disabled: "disabled"
}

/** How it is called that a test didn't run; `undefined` of one that did. */
export const notRunAs = (status: string): string | undefined => notRun[status]

/** Whether a status says how a test that ran ended. All others count as failed: it may have. */
export const isEnd = (status: string): boolean => status === "passed" || status === "failed"
