import { buildMutants } from "./builds/index.ts"
import type { Mutant } from "./parts/Mutant.ts"
import { previewMutants } from "./previews/index.ts"
import { testRunMutants } from "./testRuns/index.ts"

/** Every mutant, in the order of the checks. */
export const mutants: ReadonlyArray<Mutant> = [...buildMutants, ...previewMutants, ...testRunMutants]
