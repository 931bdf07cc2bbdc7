import { choiceMutants } from "../parts/choices.ts"
import { keyMutants } from "../parts/keys.ts"
import { mistakeMutants } from "../parts/mistakes.ts"
import { toMutants } from "../parts/Mutant.ts"
import { filterMutants, limitMutants, listedMutants } from "./list.ts"
import { groundMutants, linkMutants, registerMutants } from "./register.ts"
import { statusMutants } from "./status.ts"

/** Hosts with a fault in test runs, in the order of the checks. */
export const testRunMutants = toMutants(
  "runs",
  registerMutants,
  statusMutants,
  linkMutants,
  groundMutants,
  listedMutants,
  filterMutants,
  limitMutants,
  keyMutants("runs"),
  mistakeMutants.runs,
  choiceMutants.runs
)
