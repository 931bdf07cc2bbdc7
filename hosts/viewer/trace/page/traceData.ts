import type { PreviewMetadata } from "../../../../core/api/previews/responses.ts"
import type { TestRunRecord } from "../../../../core/api/testRuns/responses.ts"
import type { KnownSteps } from "../steps.ts"
import type { TraceData } from "../traceData.ts"
import type { Openings } from "../../content/Openings.ts"
import type { Shown } from "./traceStage.ts"

/** The preview of a run, for who may see it, and the steps that its events tell of. */
export interface RunPreview {
  readonly metadata: PreviewMetadata
  readonly openings: Openings | undefined
  readonly recorded: KnownSteps
}

/** The recordings of a run that can be opened. */
export const shownRecordings = ({ metadata, openings }: RunPreview): ReadonlyArray<Shown> =>
  openings === undefined
    ? []
    : metadata.recordings.map((recording, index) => ({
        ...recording,
        source: `${openings.objectsPath}recordings/${index}`
      }))

/** What the script of a page is told of a run. */
export const traceDataOf = (
  run: TestRunRecord,
  recordings: ReadonlyArray<Shown>,
  { steps }: KnownSteps
): TraceData => ({
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
