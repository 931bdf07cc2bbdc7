/** What the page of a trace gives to its script. */

/** A step of a run, from when to when on the clock of its events. A step that never ended has no `to`. */
export interface Step {
  readonly index: number
  readonly name: string
  readonly status: string
  readonly from: number
  readonly to: number | undefined
  readonly depth: number
  readonly message: string | undefined
}

/** A time on each of two runs' own clocks. */
export interface Times {
  readonly left: number
  readonly right: number
}

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

/** The shapes on the buttons of playback, as paths of 16 by 16: the fonts of a machine may have no sign for them. */
export const shapes = {
  play: "M3 2l11 6-11 6z",
  pause: "M3 2h4v12H3zm6 0h4v12H9z",
  before: "M2 2h2v12H2zm12 0v12L5 8z",
  after: "M12 2h2v12h-2zM2 2l9 6-9 6z"
}
