import { toChecks } from "../steps/Check.ts"
import { keyChecks } from "./keys.ts"
import { filterChecks, limitChecks, listedChecks } from "./list.ts"
import { mistakeChecks } from "./mistakes.ts"
import { linkChecks, namedChecks, registerChecks } from "./register.ts"
import { statusChecks } from "./status.ts"

/** The checks of the profile `testRuns`, in the order of the interface. */
export const testRunChecks = toChecks(
  registerChecks,
  statusChecks,
  linkChecks,
  namedChecks,
  listedChecks,
  filterChecks,
  limitChecks,
  keyChecks,
  mistakeChecks
)
