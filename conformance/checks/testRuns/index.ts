import type { Check } from "../steps/Check.ts"
import { filterChecks } from "./filters.ts"
import { keyChecks } from "./keys.ts"
import { kindChecks } from "./kinds.ts"
import { limitChecks } from "./limits.ts"
import { linkChecks } from "./links.ts"
import { listedChecks } from "./listed.ts"
import { mistakeChecks } from "./mistakes.ts"
import { nameChecks } from "./names.ts"
import { orderChecks } from "./order.ts"
import { pointedAtChecks } from "./pointedAt.ts"
import { registerChecks } from "./register.ts"
import { repositoryChecks } from "./repositories.ts"
import { statusChecks } from "./status.ts"

/** The checks of the profile `testRuns`, in the order of the interface. */
export const testRunChecks: ReadonlyArray<Check> = [
  ...registerChecks,
  ...kindChecks,
  ...nameChecks,
  ...statusChecks,
  ...linkChecks,
  ...pointedAtChecks,
  ...repositoryChecks,
  ...listedChecks,
  ...filterChecks,
  ...limitChecks,
  ...orderChecks,
  ...keyChecks,
  ...mistakeChecks
]
