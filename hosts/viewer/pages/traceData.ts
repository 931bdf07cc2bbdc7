import type { TestRunRecord } from "../../../core/api/testRuns/responses.ts"
import type { TraceData } from "../trace/traceData.ts"
import type { RunPreview } from "./run.ts"
import type { Shown } from "./traceStage.ts"

/** The recordings of a run that can be opened. */
export const shownRecordings = ({ metadata, openings }: Pick<RunPreview, "metadata" | "openings">): ReadonlyArray<Shown> =>
  openings === undefined
    ? []
    : metadata.recordings.map((recording, index) => ({
        ...recording,
        source: `${openings.objectsPath}recordings/${index}`
      }))

/** What the script of a page is told of a run. */
export const traceDataOf = (run: TestRunRecord, recordings: ReadonlyArray<Shown>): TraceData => ({
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
