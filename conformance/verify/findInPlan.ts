import { isDeepStrictEqual } from "node:util"
import type { Report } from "../report/Report.ts"
import type { Planned } from "../run/plan.ts"
import type { Finding } from "./Verification.ts"

const plan = (sentence: string): Finding => ({ about: "plan", sentence })

/** The ids planned must be the ids reported, each once, and each of them a check of this suite and of the profiles claimed. */
export const findInPlan = (
  { checks, run: { planned } }: Pick<Report, "checks" | "run">,
  whole: ReadonlyArray<Pick<Planned, "id">>
): ReadonlyArray<Finding> => {
  const reported = checks.map(({ id }) => id)
  const missing = planned.filter((id) => !reported.includes(id))
  const unplanned = reported.filter((id) => !planned.includes(id))
  const twice = planned.filter((id, index) => planned.indexOf(id) !== index)
  const unknown = planned.filter((id) => !whole.some((one) => one.id === id))
  const ordered = whole.filter(({ id }) => planned.includes(id)).map(({ id }) => id)
  const findings = [
    ...missing.map((id) => plan(`${id} was planned and is not reported.`)),
    ...unplanned.map((id) => plan(`${id} is reported and was not planned.`)),
    ...twice.map((id) => plan(`${id} was planned twice.`)),
    ...unknown.map((id) => plan(`${id} is no check of this suite for the profiles that are claimed.`))
  ]
  const inOrder = isDeepStrictEqual(planned, reported) && isDeepStrictEqual(planned, ordered)
  return findings.length > 0 || inOrder ? findings : [plan("The checks are not in the order of the suite.")]
}
