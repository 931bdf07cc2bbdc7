import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { CheckResult, Report } from "../report/Report.ts"
import { choicesOf, judgeChoices } from "../run/choices.ts"
import { judgeAgain } from "../run/judgeAgain.ts"
import { wholePlan } from "../run/plan.ts"
import type { Planned } from "../run/plan.ts"
import { verdictsOf } from "../run/verdicts.ts"
import { changes } from "./changes.ts"
import { compareOutcome } from "./compareOutcome.ts"
import { decodeReport } from "./decode.ts"
import { findInDigests } from "./findInDigests.ts"
import { findInPlan } from "./findInPlan.ts"
import { thisSuite } from "./Suite.ts"
import type { Suite } from "./Suite.ts"
import type { Finding, Verification } from "./Verification.ts"

/** What a check is by this suite must be what the report says it is. */
const findInDescription = (result: CheckResult, planned: Planned): ReadonlyArray<Finding> =>
  (["profile", "title", "level", "requirements"] as const).flatMap((field) =>
    isDeepStrictEqual(result[field], planned[field])
      ? []
      : [
          {
            about: result.id,
            sentence: `Its ${field} is ${JSON.stringify(planned[field])}, not ${JSON.stringify(result[field])}.`
          }
        ]
  )

const differs = (about: string, sentence: string, said: unknown, found: unknown): ReadonlyArray<Finding> =>
  isDeepStrictEqual(said, found) ? [] : [{ about, sentence }]

const entries = (verdicts: Verification["verdicts"]) => new Map(Object.entries(verdicts))

const findInVerdicts = (claimed: Report["verdicts"], found: Verification["verdicts"]): ReadonlyArray<Finding> =>
  changes(entries(claimed), entries(found)).map(({ after = "not asked for", before = "missing", name }) => ({
    about: "verdicts",
    sentence: `The report says of ${name}: ${before}; from the recorded answers follows: ${after}.`
  }))

const judgeRun = Effect.fnUntraced(function* (report: Report, known: Suite) {
  const whole = wholePlan(known.checks, report.config.profiles)
  const byId = new Map(whole.map((one) => [one.id, one]))
  const results = report.checks.flatMap((result) => {
    const planned = byId.get(result.id)
    return planned === undefined ? [] : [{ planned, result }]
  })
  const run = { id: report.run.id, config: report.config }
  const again = yield* Effect.forEach(results, ({ planned: { check }, result }) =>
    check === undefined ? Effect.succeed(undefined) : judgeAgain(check, run, result)
  )
  const choices = choicesOf(
    results.map(({ result }, index) => ({ check: result.id, observations: again[index]?.observations ?? [] }))
  )
  const compared = results.map(({ result }, index) =>
    compareOutcome(result, again[index]?.judged ?? judgeChoices(result.id, choices))
  )
  const ledger = results.flatMap(({ result }, index) =>
    (again[index]?.made ?? []).map(({ id, url, what }) => ({
      check: result.id,
      what,
      id,
      ...(url === undefined ? {} : { url })
    }))
  )
  const outcomes = results.map(({ planned }, index) => ({ ...planned, outcome: compared[index]?.outcome ?? "suite-fault" }))
  const verdicts = verdictsOf(report.config.profiles, outcomes, whole)
  const missing = whole.filter(({ id }) => !report.run.planned.includes(id))
  return {
    checks: results.length,
    verdicts,
    findings: [
      ...findInDigests(report, known),
      ...findInPlan(report, whole),
      ...results.flatMap(({ planned, result }) => findInDescription(result, planned)),
      ...compared.flatMap(({ findings }) => findings),
      ...differs("choices", "The register of choices is not what the recorded answers show.", report.choices, choices),
      ...differs("ledger", "The ledger is not what the recorded answers show to have been made.", report.ledger, ledger),
      ...findInVerdicts(report.verdicts, verdicts)
    ],
    notes:
      missing.length === 0
        ? []
        : [`The run left out ${missing.length} of the ${whole.length} checks of its profiles: ${missing.map(({ id }) => id).join(", ")}.`]
  }
})

/**
 * Judges a recorded run again: offline, without its keys, and trusting nothing that the report says of itself. Each check
 * of the suite that runs here is made on the recorded answers, and what follows (outcomes, violations, the register of
 * choices, the ledger, verdicts) is compared with what the report claims, as are the ids and the digests.
 *
 * It can't tell whether the target gave these answers. `said` is what was parsed from the report's file.
 */
export const verify = Effect.fnUntraced(function* (
  said: unknown,
  known: Effect.Effect<Suite> = thisSuite
): Effect.fn.Return<Verification> {
  const found = yield* decodeReport(said).pipe(
    Effect.flatMap((report) =>
      Effect.map(
        Effect.flatMap(known, (suite) => judgeRun(report, suite)),
        (judged) => ({ ...judged, url: report.config.url })
      )
    ),
    Effect.catchTag("NoReport", ({ sentences }) =>
      Effect.succeed({
        checks: 0,
        verdicts: {},
        notes: [],
        findings: sentences.map((sentence) => ({ about: "report", sentence }))
      })
    )
  )
  return { verdict: found.findings.length === 0 ? "confirmed" : "not confirmed", ...found }
})
