import type { Times } from "./commonClock.ts"
import type { Step } from "./steps.ts"

/** A recording as the script of a page needs it: where it is, and when on the clock that all of a run's share. */
export interface RecordingData {
  readonly name: string
  readonly kind: "video" | "screenshot" | "events" | "log" | "other"
  readonly url: string
  readonly sizeBytes: number
  readonly startedAtMs?: number | undefined
  readonly durationMs?: number | undefined
}

/** What the script of a page is told of a run; `steps` are those that the page shows. */
export interface TraceData {
  readonly isFailed: boolean
  readonly steps: ReadonlyArray<Step>
  readonly recordings: ReadonlyArray<RecordingData>
  readonly durationMs?: number | undefined
  readonly failedStepIndex?: number | undefined
}

/** What the script of a comparison is told by its page; `marks` are the beginnings of the steps that belong together. */
export interface CompareData {
  readonly left: Pick<TraceData, "recordings">
  readonly right: Pick<TraceData, "recordings">
  readonly lengths: Times
  readonly marks: ReadonlyArray<Times>
}
