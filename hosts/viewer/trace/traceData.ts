/** A recording as the script of a page needs it: where it is, and when on the clock that all of a run's share. */
export interface RecordingData {
  readonly name: string
  readonly kind: "video" | "screenshot" | "events" | "log" | "other"
  readonly url: string
  readonly sizeBytes: number
  readonly startedAtMs: number | undefined
  readonly durationMs: number | undefined
}

/** What the script of a trace is told by its page. */
export interface TraceData {
  readonly recordings: ReadonlyArray<RecordingData>
  readonly durationMs: number | undefined
  readonly failedStepIndex: number | undefined
}

/** What the script of a comparison is told by its page. */
export interface CompareData {
  readonly left: TraceData
  readonly right: TraceData
}
