import type { CheckResult } from "../report/Report.ts"
import type { Expected } from "./expectations.ts"

export const exitCodes = {
  /** Every requested MUST passed or is excused. */
  conformant: 0,
  /** A MUST failed or was skipped without an excuse, a request had no answer, or an excuse is stale or expired. */
  violation: 1,
  /** The config, a file or a flag is invalid, or the target refuses what the config says. No check was made. */
  config: 2,
  /** The target can't be reached, or was lost during the run. */
  unreachable: 3,
  /** The suite has a fault. */
  suiteFault: 4,
  /** A signal ended the run. The report has what was checked before. */
  interrupted: 130
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const isHarmless = (
  result: CheckResult,
  results: ReadonlyArray<CheckResult>,
  excused: ReadonlyArray<string>
): boolean => {
  const { blockedBy, id, level, outcome } = result
  if (outcome === "no-answer") return false
  if (level !== "MUST" || outcome === "passed" || outcome === "expected-failure") return true
  // What is blocked by an expected failure is expected too.
  const root = results.find((one) => one.id === blockedBy)
  return (outcome === "skipped" && excused.includes(id)) || root?.outcome === "expected-failure"
}

/** `lost` says why the target can't be reached any more, if it was lost during the run. */
export const exitCode = ({ complaints, excused, results }: Expected, lost: string | undefined): ExitCode => {
  if (results.some(({ outcome }) => outcome === "suite-fault")) return exitCodes.suiteFault
  if (lost !== undefined) return exitCodes.unreachable
  const fine = complaints.length === 0 && results.every((result) => isHarmless(result, results, excused))
  return fine ? exitCodes.conformant : exitCodes.violation
}
