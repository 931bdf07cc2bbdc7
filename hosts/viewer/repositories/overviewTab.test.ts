import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { AccountId } from "../../../core/model/Account.ts"
import { RepositoryId } from "../../../core/model/Repository.ts"
import { type CiRun, type ListedTest, TestId } from "../../../core/model/TestHistory.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { messageGroups, stripNumbers } from "./overviewTab.ts"

const of = { accountId: AccountId.make("a"), repositoryId: RepositoryId.make("r") }

const ciRun = (failed: number, durationMs: number): CiRun => ({
  ...of,
  ciRun: "source-1",
  startedAt: DateTime.makeUnsafe(0),
  passed: 1,
  failed,
  flaky: 1,
  quarantined: 0,
  runs: 2,
  durationMs
})

const test = (id: string, summary: Partial<ListedTest["summary"]>): ListedTest => ({
  ...of,
  testId: TestId.make(id),
  version: 1,
  kind: "detox",
  lastRunAt: DateTime.makeUnsafe(0),
  lastStatus: "failed",
  summary: {
    runs: 1,
    failed: 1,
    flakyRuns: 0,
    recent: "f",
    lastRunId: TestRunId.make("1"),
    failuresInARow: 1,
    ...summary
  }
})

describe("the numbers of a repository", () => {
  it("the pass rate is of the last 30 CI runs, flaky ones passed, and is compared with the 30 before", () => {
    const last = Array.from({ length: 30 }, (_, at) => ciRun(at < 6 ? 1 : 0, 1000 + at))
    const before = Array.from({ length: 20 }, () => ciRun(0, 1))
    const { change, medianMs, passRate } = stripNumbers([...last, ...before])
    assert.strictEqual(passRate, 0.8)
    assert.closeTo(change ?? 0, -0.2, 1e-9)
    assert.strictEqual(medianMs, 1014)
    assert.deepStrictEqual(stripNumbers([]), { passRate: undefined, change: undefined, medianMs: undefined })
    assert.isUndefined(stripNumbers(last).change)
  })

  it("failures are grouped by message without what differs, the largest group first", () => {
    const groups = messageGroups([
      test("1", { lastMessage: "Timeout" }),
      test("2", { lastMessage: 'No element "a" after 3 s' }),
      test("3", { lastMessage: 'No element "b" after 14 s' }),
      test("4", {})
    ])
    assert.deepStrictEqual(
      groups.map(({ pattern, tests }) => [pattern, tests.map(({ testId }) => testId)]),
      [
        ["No element … after … s", ["2", "3"]],
        ["Timeout", ["1"]]
      ]
    )
  })
})
