/** The numbers of a repository's page that are computed from its lists. */
import type { CiRun, ListedTest } from "../../../core/model/TestHistory.ts"
import { groupedBy } from "../../../core/rules/attempts.ts"
import { messagePattern, percentile } from "../../../core/rules/testResults.ts"
import { worstOf } from "../ui/charts/marks.ts"
import { stripLength } from "../ui/charts/strip.ts"

/** What the strip of a branch shows in numbers; `undefined` where nothing is known. */
export interface StripNumbers {
  /** The share of CI runs in which no test failed in the end, of those that are complete. */
  readonly passRate: number | undefined
  /** How that share differs from the one of the CI runs before. */
  readonly change: number | undefined
  readonly medianMs: number | undefined
}

const rateOf = (ciRuns: ReadonlyArray<CiRun>): number | undefined => {
  const ended = ciRuns.map(worstOf).filter((outcome) => outcome !== "incomplete")
  return ended.length === 0 ? undefined : ended.filter((outcome) => outcome !== "failed").length / ended.length
}

/** The numbers of the last 30 CI runs, compared with the 30 before, of CI runs that are newest first. */
export const stripNumbers = (ciRuns: ReadonlyArray<CiRun>): StripNumbers => {
  const recent = ciRuns.slice(0, stripLength)
  const [passRate, before] = [rateOf(recent), rateOf(ciRuns.slice(stripLength, 2 * stripLength))]
  return {
    passRate,
    change: passRate === undefined || before === undefined ? undefined : passRate - before,
    medianMs: percentile(
      recent.map(({ durationMs }) => durationMs),
      0.5
    )
  }
}

/** Failing tests whose messages differ only in what differs from run to run. */
export interface MessageGroup {
  readonly pattern: string
  readonly tests: readonly [ListedTest, ...ReadonlyArray<ListedTest>]
}

/** Failing tests by their newest message, the largest group first. Tests without a message are in none. */
export const messageGroups = (failing: ReadonlyArray<ListedTest>): ReadonlyArray<MessageGroup> =>
  Array.from(
    groupedBy(failing, ({ summary: { lastMessage } }) => lastMessage && messagePattern(lastMessage)),
    ([pattern, [first, ...others]]) =>
      pattern === undefined || first === undefined ? [] : [{ pattern, tests: [first, ...others] as const }]
  )
    .flat()
    .toSorted((a, b) => b.tests.length - a.tests.length)
