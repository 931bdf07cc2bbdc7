/**
 * The life of a preview. It has one reservation and is made by it.
 *
 * | state | trigger | condition | next state |
 * | --- | --- | --- | --- |
 * | none | reserve | a repository that it names is the account's | uploading |
 * | uploading | time | its reservation is over | expired |
 * | uploading | finalize | see `decideFinalize`; every object verified | ready |
 * | ready | time | | ready |
 *
 * @see docs/interface.md#3
 */
import { DateTime } from "effect"
import { billedTestRun, type Preview, type PreviewStatus } from "../model/Preview.ts"
import { onVerified, type Finalizing } from "./reservations.ts"

/** The status of a preview at `now`. */
export const previewStatus = (preview: Preview, now: DateTime.Utc): PreviewStatus => {
  if (preview.finalizedAt !== undefined) return "ready"
  return DateTime.isLessThan(now, preview.expiresAt) ? "uploading" : "expired"
}

/** The preview's objects were verified at `now`: its next state. */
export const onPreviewFinalize = (preview: Preview, event: Finalizing): Preview => onVerified(preview, event)

/** Whether a preview's finalizing counts as a billed test run. */
export const isBilled = (preview: Preview): boolean => preview.declaration.billingKind === billedTestRun
