import type { Check } from "../steps/Check.ts"
import { previewUploads } from "../uploads/index.ts"
import { afterFinalizeChecks } from "./afterFinalize.ts"
import { attributionChecks } from "./attribution.ts"
import { billedChecks } from "./billed.ts"
import { finalizeChecks } from "./finalize.ts"
import { finalizerChecks } from "./finalizer.ts"
import { keyChecks } from "./keys.ts"
import { metadataChecks } from "./metadata.ts"
import { missingObjectChecks } from "./missingObjects.ts"
import { mistakeChecks } from "./mistakes.ts"
import { reserveChecks } from "./reserve.ts"
import { visibilityChecks } from "./visibility.ts"

/** The checks of the profile `previews`, in the order of the interface. */
export const previewChecks: ReadonlyArray<Check> = [
  ...reserveChecks,
  ...previewUploads,
  ...finalizeChecks,
  ...missingObjectChecks,
  ...finalizerChecks,
  ...afterFinalizeChecks,
  ...metadataChecks,
  ...attributionChecks,
  ...visibilityChecks,
  ...billedChecks,
  ...keyChecks,
  ...mistakeChecks
]
