import type { RunPoint } from "../../../core/model/TestHistory.ts"
import { groupedBy } from "../../../core/rules/attempts.ts"
import { messagePattern, type JudgedResult } from "../../../core/rules/testResults.ts"

/** The failures of a test with one message, but for what differs from run to run. */
export interface FailureGroup {
  /** The newest of its messages. */
  readonly message: string
  readonly runs: number
  readonly first: RunPoint
  readonly last: RunPoint
}

/** The failures among a test's results by message, the most frequent first; `results` are newest first. */
export const failureGroups = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<FailureGroup> => {
  const failures = results.flatMap(({ runs }) =>
    runs.flatMap((run) => (run.message === undefined ? [] : [{ ...run, message: run.message }]))
  )
  return Array.from(groupedBy(failures, ({ message }) => messagePattern(message)).values(), (group) => {
    const [last, first] = [group[0], group.at(-1)]
    return last === undefined || first === undefined ? [] : [{ message: last.message, runs: group.length, first, last }]
  })
    .flat()
    .toSorted((a, b) => b.runs - a.runs)
}
