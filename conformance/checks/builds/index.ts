import { toChecks } from "../steps/Check.ts"
import { buildFlow } from "../uploads/Flow.ts"
import { uploadChecks } from "../uploads/index.ts"
import { finalizeChecks } from "./finalize.ts"
import { identityChecks } from "./identity.ts"
import { keyChecks } from "./keys.ts"
import { mistakeChecks } from "./mistakes.ts"
import { readChecks } from "./reads.ts"
import { reserveChecks } from "./reserve.ts"

/** The checks of the profile `builds`, in the order of the interface. */
export const buildChecks = toChecks(
  reserveChecks,
  uploadChecks(buildFlow),
  finalizeChecks,
  identityChecks,
  readChecks,
  keyChecks,
  mistakeChecks
)
