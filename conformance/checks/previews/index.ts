import { toChecks } from "../steps/Check.ts"
import { previewFlow } from "../uploads/Flow.ts"
import { uploadChecks } from "../uploads/index.ts"
import { billedChecks } from "./billed.ts"
import { finalizeChecks } from "./finalize.ts"
import { keyChecks } from "./keys.ts"
import { metadataChecks } from "./metadata.ts"
import { mistakeChecks } from "./mistakes.ts"
import { reserveChecks } from "./reserve.ts"

/** The checks of the profile `previews`, in the order of the interface. */
export const previewChecks = toChecks(
  reserveChecks,
  uploadChecks(previewFlow),
  finalizeChecks,
  metadataChecks,
  billedChecks,
  keyChecks,
  mistakeChecks
)
