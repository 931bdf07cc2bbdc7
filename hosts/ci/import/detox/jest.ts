/** Reads the results of Jest: `jest --json` of 29 and 30, and what jest-stare writes, which is Jest's own form. */
import { fieldsOf, itemsOf, numberOf, parseJson, textOf, textsOf, type Fields } from "../json.ts"
import { plainLines } from "../plainText.ts"
import type { Telling } from "../Telling.ts"

/** A test, as its file of results tells of it. */
export interface JestTest {
  /** The file that the test is written in. */
  readonly file: string | undefined
  /** When the file began, as nothing tells when the test did. */
  readonly fileStartedAt: number | undefined
  readonly startedAt: number | undefined
  readonly fullName: string
  /** `passed`, `failed`, `pending`, `todo`, `skipped`, `disabled`. */
  readonly status: string
  readonly durationMs: number | undefined
  readonly failureMessage: string | undefined
  readonly invocations: number
  /** Why earlier attempts failed, as far as it is told. */
  readonly retryReasons: ReadonlyArray<string>
}

/** A file of tests that failed as a whole, in which no test failed. */
export interface JestFailedFile {
  readonly file: string
  readonly startedAt: number | undefined
  readonly durationMs: number | undefined
  readonly failureMessage: string
}

/** What a file of results tells. */
export interface JestResults {
  readonly path: string
  readonly tests: ReadonlyArray<JestTest>
  readonly failedFiles: ReadonlyArray<JestFailedFile>
}

const whole = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined || milliseconds < 0 ? undefined : Math.round(milliseconds)

/** What failed outside of the tests: told as `testExecError`, or only as a part of the message of the file. */
const outsideOfTests = (result: Fields, message: string): string | undefined => {
  const error = fieldsOf(result["testExecError"])
  const { message: said, stack } = error
  const told = textOf(stack) ?? textOf(said)
  if (told !== undefined) return told
  const [, section] = /● Test suite failed to run\s*\n([\s\S]*?)(?=\n\s*● |$)/.exec(message) ?? []
  return section?.replaceAll(/^ {4}/gm, "").trim()
}

const testsOf = (result: Fields): ReadonlyArray<Fields> =>
  itemsOf(result["assertionResults"] ?? result["testResults"]).map(fieldsOf)

const join = (messages: ReadonlyArray<string>): string | undefined => {
  const told = messages.filter((message) => message.trim() !== "")
  return told.length === 0 ? undefined : plainLines([...new Set(told)].join("\n\n"))
}

const resultOf = (result: Fields): Omit<JestResults, "path"> => {
  const file = textOf(result["name"] ?? result["testFilePath"])
  const { end, start } = fieldsOf(result["perfStats"])
  const startedAt = whole(numberOf(result["startTime"] ?? start))
  const endedAt = whole(numberOf(result["endTime"] ?? end))
  const message = plainLines(textOf(result["message"] ?? result["failureMessage"]) ?? "", Infinity)
  const outside = outsideOfTests(result, message)
  const told = testsOf(result)
  const tests = told.map((test): JestTest => {
    const status = textOf(test["status"]) ?? "failed"
    const messages = textsOf(test["failureMessages"])
    const fullName =
      textOf(test["fullName"]) ?? [...textsOf(test["ancestorTitles"]), textOf(test["title"]) ?? ""].join(" ")
    return {
      file,
      fileStartedAt: startedAt,
      startedAt: whole(numberOf(test["startAt"])),
      fullName,
      status,
      durationMs: whole(numberOf(test["duration"])),
      failureMessage: status === "failed" ? join([...messages, outside ?? ""]) : undefined,
      invocations: Math.max(1, Math.trunc(numberOf(test["invocations"]) ?? 1)),
      retryReasons: textsOf(test["retryReasons"]).map((reason) => plainLines(reason))
    }
  })
  const hasFailed = result["status"] === "failed" || result["testExecError"] !== undefined || outside !== undefined
  if (!hasFailed || tests.some(({ status }) => status === "failed")) return { tests, failedFiles: [] }
  const failureMessage = join([outside ?? message]) ?? "The file failed, and Jest tells no reason."
  // Jest tells no length of a file that it couldn't load.
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt
  return { tests, failedFiles: [{ file: file ?? "A file of tests", startedAt, durationMs, failureMessage }] }
}

/** The results in a text; `undefined` of JSON that is something else. Of a file that was cut, the files that stand whole. */
export const readJest = (path: string, text: string, telling: Telling): JestResults | undefined => {
  if (!/"(?:testResults|assertionResults)"/.test(text)) return undefined
  const read = parseJson(path, text, "$.testResults.*", telling)
  const results = "whole" in read ? read.whole : itemsOf(fieldsOf(read.value)["testResults"])
  const all = results.map((result) => resultOf(fieldsOf(result)))
  return {
    path,
    tests: all.flatMap(({ tests }) => tests),
    failedFiles: all.flatMap(({ failedFiles }) => failedFiles)
  }
}
