import { builds } from "./builds.ts"
import { previews } from "./previews.ts"
import type { Requirement } from "./Requirement.ts"
import { testRuns } from "./testRuns.ts"

/** Every sentence of the interface. */
export const requirements: ReadonlyArray<Requirement> = [...builds, ...previews, ...testRuns]
