import { requirements } from "./index.ts"
import { checksOf, type Level, type Requirement } from "./Requirement.ts"

const byCheck = Map.groupBy(
  requirements.flatMap((requirement) => checksOf(requirement).map((check) => ({ check, requirement }))),
  ({ check }) => check
)

/** The sentences that a check proves. */
export const proves = (check: string): ReadonlyArray<Requirement> =>
  (byCheck.get(check) ?? []).map(({ requirement }) => requirement)

const levels: ReadonlyArray<Level> = ["MUST", "SHOULD", "MAY"]

/** The strongest level among the sentences that a check proves; a check of none holds to what was seen before, a MUST. */
export const levelOf = (check: string): Level => {
  const proven = proves(check)
  return levels.find((level) => proven.some((one) => one.level === level)) ?? "MUST"
}
