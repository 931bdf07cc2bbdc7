import { isDeepStrictEqual } from "node:util"
import type { CheckResult, Outcome } from "../report/Report.ts"
import type { Judged } from "../run/judge.ts"
import type { Finding } from "./Verification.ts"

/** What a failure may be called where somebody expected it. */
const canBeExpected = ({ outcome }: Judged): boolean => outcome === "failed" || outcome === "no-answer"

/** What is said of an outcome. A fault of the suite is told by where it happened, which differs from machine to machine. */
const told = ({ outcome, reason, violation }: Judged) => ({
  violation,
  reason: outcome === "expected-failure" || outcome === "suite-fault" ? undefined : reason
})

const sentenceOf = ({ outcome, reason, violation }: Judged): string => {
  if (violation !== undefined) return `${outcome} (expected: ${violation.expected}; came: ${violation.came})`
  return reason === undefined ? outcome : `${outcome} (${reason})`
}

/**
 * What a report claims of a check, held against what follows from its recording: the outcome that counts for the verdict,
 * and what isn't so. That a failure was expected is for whoever ran the suite to say.
 */
export const compareOutcome = (
  claimed: CheckResult,
  judged: Judged
): { readonly outcome: Outcome; readonly findings: ReadonlyArray<Finding> } => {
  const isExpected = claimed.outcome === "expected-failure" && canBeExpected(judged)
  if (claimed.outcome !== judged.outcome && !isExpected) {
    const sentence = `The report says ${claimed.outcome}, and the recorded answers show ${sentenceOf(judged)}.`
    return { outcome: judged.outcome, findings: [{ about: claimed.id, sentence }] }
  }
  const { outcome } = claimed
  const same = isDeepStrictEqual(told(claimed), told({ ...judged, outcome }))
  const sentence = `The report gives another reason than the recorded answers show: ${sentenceOf(judged)}.`
  return { outcome, findings: same ? [] : [{ about: claimed.id, sentence }] }
}
