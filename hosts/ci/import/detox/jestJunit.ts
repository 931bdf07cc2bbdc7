/**
 * Reads what jest-junit writes, for those who keep nothing else. It passes todos, leaves out files that didn't load, and
 * lists hooks that failed as tests.
 */
import { durationMsOf, fullNameOf, type Report, type TestCase } from "../junit.ts"
import { plainLines } from "../../command/plainText.ts"
import { interrupted } from "../recordedRun.ts"
import type { JestFailedFile, JestResults, JestTest } from "./jest.ts"

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
export const resultsOfJUnit = ({ cases, interruption, path }: Report): JestResults => {
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
      fullName: fullNameOf(one),
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
  const cut = interruption ?? cases.find((one) => isOutside(one) && one.interruption !== undefined)?.interruption
  return { path, startedAt: undefined, interruption: cut, tests, failedFiles }
}
