import type { CheckResult, Outcome } from "./Report.ts"

/** How a result is to be read: its outcome, and of a failure whether it is against a sentence that binds. */
export type Standing = Outcome | "warning"

/** What a person is told of a standing. */
export interface StandingWords {
  /** One character that needs no colour. */
  readonly mark: string
  readonly label: string
  /** `3 failed`. */
  readonly count: string
}

/** The words for each standing, the most serious first. */
export const standings: Readonly<Record<Standing, StandingWords>> = {
  failed: { mark: "✗", label: "Failed", count: "failed" },
  "no-answer": { mark: "!", label: "No answer", count: "without an answer" },
  "suite-fault": { mark: "?", label: "The suite's own fault", count: "not judged" },
  "expected-failure": { mark: "≈", label: "Expected to fail", count: "expected to fail" },
  warning: { mark: "▲", label: "Warning", count: "warned" },
  skipped: { mark: "–", label: "Skipped", count: "skipped" },
  passed: { mark: "✓", label: "Passed", count: "passed" }
}

/** Every standing, the most serious first. */
export const bySeriousness: ReadonlyArray<Standing> = [
  "failed",
  "no-answer",
  "suite-fault",
  "expected-failure",
  "warning",
  "skipped",
  "passed"
]

/** What should be or may be, and isn't, only warns. */
export const standingOf = ({ level, outcome }: Pick<CheckResult, "level" | "outcome">): Standing =>
  outcome === "failed" && level !== "MUST" ? "warning" : outcome

/** How many results there are of each standing that occurs, the most serious first. */
export const tally = (
  results: ReadonlyArray<Pick<CheckResult, "level" | "outcome">>
): ReadonlyArray<{ readonly standing: Standing; readonly count: number }> =>
  bySeriousness.flatMap((standing) => {
    const count = results.filter((one) => standingOf(one) === standing).length
    return count === 0 ? [] : [{ standing, count }]
  })

/** `2 failed, 61 passed`. */
export const tallyText = (results: ReadonlyArray<Pick<CheckResult, "level" | "outcome">>): string =>
  tally(results)
    .map(({ count, standing }) => `${count} ${standings[standing].count}`)
    .join(", ")

/** Whether somebody has to do something about it. */
export const isToMend = (result: Pick<CheckResult, "level" | "outcome">): boolean =>
  ["failed", "no-answer", "suite-fault"].includes(standingOf(result))
