import { choiceMutants } from "../parts/choices.ts"
import { keyMutants } from "../parts/keys.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { filterMutants } from "./filters.ts"
import { groundMutants } from "./previewsAndRepositories.ts"
import { limitMutants } from "./limits.ts"
import { linkMutants } from "./links.ts"
import { listedMutants } from "./listed.ts"
import { mistakeMutants } from "./mistakes.ts"
import { registerMutants } from "./register.ts"
import { statusMutants } from "./status.ts"

/** Hosts that are at fault with test runs, in the order of the checks. */
export const testRunMutants: ReadonlyArray<Mutant> = [
  ...registerMutants,
  ...statusMutants,
  ...linkMutants,
  ...groundMutants,
  ...listedMutants,
  ...filterMutants,
  ...limitMutants,
  ...keyMutants("runs"),
  ...mistakeMutants,
  choiceMutants.runs
]
