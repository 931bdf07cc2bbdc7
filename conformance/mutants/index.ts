import { buildMutants } from "./builds.ts"
import type { Mutant } from "./Mutant.ts"
import { previewMutants } from "./previews.ts"
import { testRunMutants } from "./testRuns.ts"

/** Every mutant, in the order of the checks. */
export const mutants: ReadonlyArray<Mutant> = [...buildMutants, ...previewMutants, ...testRunMutants]
