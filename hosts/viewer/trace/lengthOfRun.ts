import type { TraceData } from "./traceData.ts"
import type { Step } from "./steps.ts"

/** How long the clock of a run goes, in milliseconds: to the end of whatever ends last. */
export const lengthOfRun = (
  { durationMs = 0, recordings }: Pick<TraceData, "durationMs" | "recordings">,
  steps: ReadonlyArray<Step>
): number => {
  const ends = [
    ...recordings.map(({ durationMs = 0, startedAtMs = 0 }) => startedAtMs + durationMs),
    ...steps.map(({ from, to = from }) => to)
  ]
  return ends.reduce((longest, end) => Math.max(longest, end), durationMs)
}
