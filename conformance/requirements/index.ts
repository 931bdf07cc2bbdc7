import { builds } from "./builds.ts"
import type { Requirement } from "./Requirement.ts"

/** Every sentence that is written down so far: those about builds. */
export const requirements: ReadonlyArray<Requirement> = [...builds]
