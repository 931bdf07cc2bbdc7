import { buildChecks } from "./builds/index.ts"
import type { Check } from "./steps/Check.ts"
import { previewChecks } from "./previews/index.ts"
import { testRunChecks } from "./testRuns/index.ts"

/** Every check of the suite, in the order in which they are planned. */
export const checks: ReadonlyArray<Check> = [...buildChecks, ...previewChecks, ...testRunChecks]
