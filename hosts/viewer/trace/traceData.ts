import type { Times } from "./commonClock.ts"
import type { Step } from "./steps.ts"

/** A recording for the page's script: its URL, and when it begins on the run's clock. */
export interface RecordingData {
  readonly name: string
  readonly kind: "video" | "screenshot" | "events" | "log" | "other"
  readonly url: string
  readonly sizeBytes: number
  readonly startedAtMs?: number | undefined
  readonly durationMs?: number | undefined
}

/** The data of a run for the page's script; `steps` are those that the page shows. */
export interface TraceData {
  readonly isFailed: boolean
  readonly steps: ReadonlyArray<Step>
  readonly recordings: ReadonlyArray<RecordingData>
  readonly durationMs?: number | undefined
  readonly failedStepIndex?: number | undefined
}

/** The data for the script of a comparison; `marks` are the beginnings of matching steps. */
export interface CompareData {
  readonly left: Pick<TraceData, "recordings">
  readonly right: Pick<TraceData, "recordings">
  readonly lengths: Times
  readonly marks: ReadonlyArray<Times>
}
