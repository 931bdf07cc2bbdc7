import { Effect, Schema } from "effect"
import { isObject } from "../dialect/search.ts"
import type { CheckResult, Report } from "../report/Report.ts"
import { signatureOf } from "../report/signature.ts"
import { choicesOf, judgeChoices } from "../run/choices.ts"
import { block } from "../run/block.ts"
import type { Ended } from "../run/judge.ts"
import { rehearsal } from "../run/rehearse.ts"
import { rejudge } from "../run/rejudge.ts"
import { wholePlan, type Planned } from "../run/plan.ts"
import { verdictsOf } from "../run/verdicts.ts"
import type { Observation } from "../session/SessionLog.ts"
import type { CreatedResource } from "../session/Session.ts"
import { decodeReport } from "./decode.ts"
import {
  compareOutcome,
  findInDescription,
  findInDigests,
  findInPlan,
  findInRegisters,
  findInVerdicts
} from "./findings.ts"
import { thisSuite, type Suite } from "./Suite.ts"
import type { Verification } from "./Verification.ts"

/** A check that was judged again. `judged` is undefined for the checks that the runner makes from the others' results. */
interface Again {
  readonly planned: Planned
  readonly result: CheckResult
  readonly judged: Ended | undefined
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<CreatedResource>
}

const isJson = Schema.is(Schema.Json)

const meetAgain = Effect.fnUntraced(function* (
  { config, run }: Report,
  planned: Planned,
  result: CheckResult
): Effect.fn.Return<Again> {
  const { check } = planned
  if (check === undefined) return { planned, result, judged: undefined, observations: [], made: [] }
  return { planned, result, ...(yield* rejudge(check, { id: run.id, config }, result)) }
})

const ledgerOf = (all: ReadonlyArray<Again>): Report["ledger"] =>
  all.flatMap(({ made, result }) =>
    made.map(({ id, url, kind }) => ({ check: result.id, what: kind, id, ...(url === undefined ? {} : { url }) }))
  )

/** What was made before the run isn't recorded. */
const ofChecks = (ledger: Report["ledger"]) => ledger.filter(({ check }) => check !== rehearsal)

const notesOn = ({ run }: Report, whole: ReadonlyArray<Planned>): ReadonlyArray<string> => {
  const missing = whole.filter(({ id }) => !run.planned.includes(id)).map(({ id }) => id)
  const left = `The run left out ${missing.length} of the ${whole.length} checks of its profiles`
  return missing.length === 0 ? [] : [`${left}: ${missing.join(", ")}.`]
}

/** Whose signature a report has, and the finding where it isn't over the report. */
const findInSignature = (said: unknown, report: Report) => {
  const signature = isJson(said) && isObject(said) ? signatureOf(said, report) : undefined
  if (signature === undefined) return { findings: [] }
  const { by, fits } = signature
  const sentence = `The signature by the key ${by} isn't over this report: it was changed after it was signed.`
  return fits ? { findings: [], signedBy: by } : { findings: [{ about: "signature", sentence }] }
}

const judgeRun = Effect.fnUntraced(function* (report: Report, known: Suite) {
  const whole = wholePlan(known.checks, report.config.profiles)
  const all = yield* Effect.forEach(report.checks, (result) => {
    const planned = whole.find(({ id }) => id === result.id)
    return planned === undefined ? Effect.succeed([]) : Effect.map(meetAgain(report, planned, result), (one) => [one])
  }).pipe(Effect.map((found) => found.flat()))
  const choices = choicesOf(all.map(({ observations, result }) => ({ check: result.id, observations })))
  const judged = block(
    all.map(({ judged, result: { id } }): Ended & { readonly id: string } => ({
      id,
      ...(judged ?? judgeChoices(id, choices))
    }))
  )
  const compared = all.map(({ planned, result }, index) => ({
    ...planned,
    ...compareOutcome(result, judged[index] ?? { outcome: "suite-fault" })
  }))
  const verdicts = verdictsOf(report.config.profiles, compared, whole)
  return {
    url: report.config.url,
    checks: all.length,
    verdicts,
    findings: [
      ...findInDigests(report, known),
      ...findInPlan(report, whole),
      ...all.flatMap(({ planned, result }) => findInDescription(result, planned)),
      ...compared.flatMap(({ findings }) => findings),
      ...findInRegisters({ ...report, ledger: ofChecks(report.ledger) }, choices, ledgerOf(all)),
      ...findInVerdicts(report.verdicts, verdicts)
    ],
    notes: notesOn(report, whole)
  }
})

/**
 * Judges a recorded run again: offline, without its keys, and without trusting what the report claims. It runs each check of
 * this suite on the recorded answers, and compares the results (outcomes, violations, choices, ledger, verdicts) with what
 * the report claims, as well as the ids and the digests.
 *
 * It can't tell whether the target gave these answers. `said` is the parsed file of the report.
 */
export const verify = Effect.fnUntraced(function* (
  said: unknown,
  known: Effect.Effect<Suite> = thisSuite
): Effect.fn.Return<Verification> {
  const found = yield* decodeReport(said).pipe(
    Effect.flatMap((report) =>
      Effect.map(
        Effect.flatMap(known, (suite) => judgeRun(report, suite)),
        (judged) => {
          const { findings, ...signature } = findInSignature(said, report)
          return { ...judged, ...signature, findings: [...findings, ...judged.findings] }
        }
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
