import { DateTime, Option } from "effect"
import { AccountId } from "../../model/Account.ts"
import { ShareId } from "../../model/Preview.ts"
import { RepositoryId } from "../../model/Repository.ts"
import type { CiRun, HistoryChange, LoadedHistory, TestHistory } from "../../model/TestHistory.ts"
import { TestRunId, type TestRun } from "../../model/TestRun.ts"
import { ciRunOf } from "../testRuns.ts"

const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
export const minute = (count: number) => DateTime.add(start, { minutes: count })

/** A run that started and was registered at a minute. */
export const run = (id: string, at: number, fields: Partial<TestRun> = {}): TestRun => ({
  id: TestRunId.make(id),
  accountId: AccountId.make("a"),
  repositoryId: RepositoryId.make("r"),
  previewShareId: ShareId.make("share"),
  kind: "maestro",
  name: "Pay",
  status: "passed",
  branch: "main",
  createdAt: minute(at),
  ...fields
})
export const failed = (id: string, at: number, fields: Partial<TestRun> = {}) =>
  run(id, at, { status: "failed", ...fields })

/** The histories after changes, as a store keeps them. */
export const makeStore = () => {
  const histories = new Map<string, TestHistory | undefined>()
  const ciRuns = new Map<string, CiRun>()
  const load = (of: TestRun): LoadedHistory => ({
    all: Option.fromUndefinedOr(histories.get("")),
    branch: Option.fromUndefinedOr(histories.get(of.branch ?? "none")),
    ciRun: Option.fromUndefinedOr(ciRuns.get(ciRunOf(of))),
    quarantine: Option.none()
  })
  const apply = ({ ciRun, tests }: HistoryChange) => {
    for (const { branch, next } of tests) histories.set(branch ?? "", next)
    if (ciRun === undefined) return
    const { durationMs, failed, flaky, passed, runs } = ciRuns.get(ciRun.ciRun) ?? {
      durationMs: 0,
      failed: 0,
      flaky: 0,
      quarantined: 0,
      passed: 0,
      runs: 0
    }
    ciRuns.set(ciRun.ciRun, {
      ...ciRun,
      startedAt: DateTime.min(ciRun.startedAt, ciRuns.get(ciRun.ciRun)?.startedAt ?? ciRun.startedAt),
      durationMs: durationMs + ciRun.durationMs,
      failed: failed + ciRun.failed,
      flaky: flaky + ciRun.flaky,
      passed: passed + ciRun.passed,
      runs: runs + ciRun.runs
    })
  }
  return { histories, ciRuns, load, apply }
}
