import type { Look } from "./paint.ts"
import type { CheckResult, Outcome } from "./Report.ts"

/** How a result counts: its outcome, or a warning when what failed is only a SHOULD or a MAY. */
export type Standing = Outcome | "warning"

/** How each standing is shown: a mark that needs no colour, a label, the words after a number, a look, and in JUnit XML an element. */
export interface StandingWords {
  readonly mark: string
  readonly label: string
  readonly count: string
  readonly look: Look
  readonly element?: "failure" | "error" | "skipped"
}

/** Every standing, the most serious first. In JUnit XML, warnings and expected failures don't fail the job, just as they don't change the exit code. */
export const standings: Readonly<Record<Standing, StandingWords>> = {
  failed: { mark: "✗", label: "Failed", count: "failed", look: "bad", element: "failure" },
  "no-answer": { mark: "!", label: "No answer", count: "without an answer", look: "bad", element: "error" },
  "suite-fault": { mark: "?", label: "Fault of the suite", count: "not judged", look: "bad", element: "error" },
  blocked: { mark: "⊘", label: "Blocked", count: "blocked", look: "warning", element: "skipped" },
  "expected-failure": {
    mark: "≈",
    label: "Expected to fail",
    count: "expected to fail",
    look: "warning",
    element: "skipped"
  },
  warning: { mark: "▲", label: "Warning", count: "warned", look: "warning", element: "skipped" },
  skipped: { mark: "–", label: "Skipped", count: "skipped", look: "faint", element: "skipped" },
  passed: { mark: "✓", label: "Passed", count: "passed", look: "good" }
}

const isStanding = (name: string): name is Standing => Object.hasOwn(standings, name)

/** The names of the standings, the most serious first. */
export const bySeriousness = Object.keys(standings).filter(isStanding)

/** The standing of a result. */
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

/** Whether a result needs a repair, of the target or of the suite. */
export const needsFix = (result: Pick<CheckResult, "level" | "outcome">): boolean =>
  ["failed", "no-answer", "suite-fault"].includes(standingOf(result))
