import { buildChecks } from "./builds.ts"
import type { Check } from "./steps.ts"
import { previewChecks } from "./previews.ts"
import { sequenceChecks } from "./sequences.ts"
import { testRunChecks } from "./testRuns.ts"

/** Every check of the suite, in the order in which they are planned. */
export const checks: ReadonlyArray<Check> = [...buildChecks, ...previewChecks, ...testRunChecks, ...sequenceChecks]
