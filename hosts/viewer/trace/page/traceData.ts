import type { TestRun } from "../../../../core/model/TestRun.ts"
import { recordingRef } from "../../content/objectRef.ts"
import type { ShownPreview } from "../../content/shownPreview.ts"
import type { RecordedSteps } from "../recorded/recordedSteps.ts"
import type { KnownSteps } from "../steps.ts"
import type { TraceData } from "../traceData.ts"
import type { Shown } from "./traceStage.ts"

/** The preview of a run, if the caller may see it, and the steps in its events. */
export interface RunPreview extends ShownPreview {
  readonly recorded: RecordedSteps
}

/** The recordings of a run that can be opened. */
export const shownRecordings = ({ openings, preview }: RunPreview): ReadonlyArray<Shown> =>
  openings === undefined
    ? []
    : preview.declaration.recordings.map((recording, index) => ({
        ...recording,
        source: openings.load(recordingRef(index))
      }))

/** The data of a run for the page's script. */
export const traceDataOf = (run: TestRun, recordings: ReadonlyArray<Shown>, { steps }: KnownSteps): TraceData => ({
  isFailed: run.status === "failed",
  steps,
  recordings: recordings.map(({ durationMs, kind, name, sizeBytes, source, startedAtMs }) => ({
    name,
    kind,
    url: source,
    sizeBytes,
    startedAtMs,
    durationMs
  })),
  durationMs: run.durationMs,
  failedStepIndex: run.failedStepIndex
})
