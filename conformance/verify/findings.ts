import { isDeepStrictEqual } from "node:util"
import type { CheckResult, Outcome, Report } from "../report/Report.ts"
import type { Judged } from "../run/judge.ts"
import type { Planned } from "../run/plan.ts"
import { changes } from "./changes.ts"
import type { Suite } from "./Suite.ts"
import type { Finding, Verification } from "./Verification.ts"

const differs = (about: string, sentence: string, claimed: unknown, found: unknown): ReadonlyArray<Finding> =>
  isDeepStrictEqual(claimed, found) ? [] : [{ about, sentence }]

/** A report must be by this suite, and about the interface that it knows. */
export const findInDigests = (report: Pick<Report, "suite" | "interface">, known: Suite): ReadonlyArray<Finding> => {
  const { digest, interfaceDigest, version } = known
  const made = `The report was made by suite ${report.suite.version} (${report.suite.digest})`
  return [
    ...differs(
      "suite",
      `${made}, and this is ${version} (${digest}): only the same suite can confirm it.`,
      report.suite,
      { version, digest }
    ),
    ...differs(
      "interface",
      `The report is about another text of the interface (${report.interface.digest}) than this suite's (${interfaceDigest}).`,
      report.interface.digest,
      interfaceDigest
    )
  ]
}

/** The reported ids must be the planned ones, each once, and each a check of this suite and of the claimed profiles. */
export const findInPlan = (
  { checks, run: { planned } }: Pick<Report, "checks" | "run">,
  whole: ReadonlyArray<Pick<Planned, "id">>
): ReadonlyArray<Finding> => {
  const reported = checks.map(({ id }) => id)
  const ordered = whole.filter(({ id }) => planned.includes(id)).map(({ id }) => id)
  const wrong: ReadonlyArray<readonly [ids: ReadonlyArray<string>, text: string]> = [
    [planned.filter((id) => !reported.includes(id)), "was planned and is not reported."],
    [reported.filter((id) => !planned.includes(id)), "is reported and was not planned."],
    [planned.filter((id, index) => planned.indexOf(id) !== index), "was planned twice."],
    [planned.filter((id) => !ordered.includes(id)), "is no check of this suite for the claimed profiles."]
  ]
  const findings = wrong.flatMap(([ids, text]) => ids.map((id) => ({ about: "plan", sentence: `${id} ${text}` })))
  return findings.length > 0
    ? findings
    : differs("plan", "The checks are not in the order of the suite.", [planned, planned], [reported, ordered])
}

/** The report must describe a check as this suite does. */
export const findInDescription = (result: CheckResult, planned: Planned): ReadonlyArray<Finding> =>
  (["profile", "title", "level", "requirements"] as const).flatMap((field) => {
    const sentence = `Its ${field} is ${JSON.stringify(planned[field])}, not ${JSON.stringify(result[field])}.`
    return differs(result.id, sentence, result[field], planned[field])
  })

/** The register of choices and the ledger must follow from the recorded answers. */
export const findInRegisters = (
  report: Report,
  choices: Report["choices"],
  ledger: Report["ledger"]
): ReadonlyArray<Finding> => [
  ...differs("choices", "The register of choices doesn't follow from the recorded answers.", report.choices, choices),
  ...differs("ledger", "The ledger doesn't follow from the recorded answers.", report.ledger, ledger)
]

/** The verdicts must follow from the recorded answers. */
export const findInVerdicts = (
  claimed: Report["verdicts"],
  found: Verification["verdicts"]
): ReadonlyArray<Finding> => {
  const entries = (verdicts: Verification["verdicts"]) => new Map(Object.entries(verdicts))
  return changes(entries(claimed), entries(found)).map(({ after = "not asked for", before = "missing", name }) => ({
    about: "verdicts",
    sentence: `The report says of ${name}: ${before}; from the recorded answers follows: ${after}.`
  }))
}

/** What is compared of a result. A fault of the suite names where it happened, which differs from machine to machine. */
const compared = ({ blockedBy, outcome, reason, violation }: Judged) => ({
  violation,
  blockedBy,
  reason: outcome === "expected-failure" || outcome === "suite-fault" ? undefined : reason
})

const sentenceOf = ({ outcome, reason, violation }: Judged): string => {
  if (violation !== undefined) return `${outcome} (expected: ${violation.expected}; came: ${violation.came})`
  return reason === undefined ? outcome : `${outcome} (${reason})`
}

/**
 * Compares what a report claims of a check with what follows from its recording: the outcome that counts for the
 * verdict, and the findings. Only the report's author knows whether a failure was expected.
 */
export const compareOutcome = (
  claimed: CheckResult,
  judged: Judged
): { readonly outcome: Outcome; readonly findings: ReadonlyArray<Finding> } => {
  const isExpected =
    claimed.outcome === "expected-failure" && (judged.outcome === "failed" || judged.outcome === "no-answer")
  if (claimed.outcome !== judged.outcome && !isExpected) {
    const sentence = `The report says ${claimed.outcome}, and the recorded answers show ${sentenceOf(judged)}.`
    return { outcome: judged.outcome, findings: [{ about: claimed.id, sentence }] }
  }
  const { id, outcome } = claimed
  const sentence = `The report gives another reason than the recorded answers show: ${sentenceOf(judged)}.`
  return { outcome, findings: differs(id, sentence, compared(claimed), compared({ ...judged, outcome })) }
}
