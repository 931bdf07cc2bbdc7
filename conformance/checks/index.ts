import { buildChecks } from "./builds.ts"
import { drawnRunChecks } from "./drawnRuns.ts"
import { drawnUploadChecks } from "./drawnUploads.ts"
import type { Check } from "./steps.ts"
import { previewChecks } from "./previews.ts"
import { testRunChecks } from "./testRuns.ts"

/** Every check of the suite, in the order in which they are planned. */
export const checks: ReadonlyArray<Check> = [
  ...buildChecks,
  ...drawnUploadChecks.builds,
  ...previewChecks,
  ...drawnUploadChecks.previews,
  ...testRunChecks,
  ...drawnRunChecks
]
