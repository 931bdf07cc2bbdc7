import { builds } from "./builds.ts"
import { previews } from "./previews.ts"
import { checksOf, sentenceDigest, sha256, type Level, type Requirement } from "./Requirement.ts"
import { testRuns } from "./testRuns.ts"

/** Every sentence of the interface. */
export const requirements: ReadonlyArray<Requirement> = [...builds, ...previews, ...testRuns]

const byCheck = Map.groupBy(
  requirements.flatMap((requirement) => checksOf(requirement).map((check) => ({ check, requirement }))),
  ({ check }) => check
)

/** The sentences that a check proves. */
export const proves = (check: string): ReadonlyArray<Requirement> =>
  (byCheck.get(check) ?? []).map(({ requirement }) => requirement)

const levels: ReadonlyArray<Level> = ["MUST", "SHOULD", "MAY"]

/** The strongest level among the sentences that a check proves; a check of none, which a test refuses, is a MUST. */
export const levelOf = (check: string): Level => {
  const proven = proves(check)
  return levels.find((level) => proven.some((one) => one.level === level)) ?? "MUST"
}

/** The whole interface as the suite reads it, in whatever order its sentences stand: lower-case hex SHA-256. */
export const interfaceDigest: string = sha256(JSON.stringify(requirements.map(sentenceDigest).toSorted()))
