import { Effect } from "effect"
import type { Check } from "../checks/steps/Check.ts"
import { checks as allChecks } from "../checks/index.ts"
import { interfaceDigest } from "../requirements/digest.ts"
import { suite } from "../run/suite.ts"

/** What this suite is, against which a report is held. */
export interface Suite {
  readonly version: string
  readonly digest: string
  readonly interfaceDigest: string
  readonly checks: ReadonlyArray<Check>
}

/** The suite that runs. */
export const thisSuite: Effect.Effect<Suite> = Effect.map(suite, (known) => ({
  ...known,
  interfaceDigest,
  checks: allChecks
}))
