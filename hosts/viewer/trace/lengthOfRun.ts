import type { TraceData } from "./traceData.ts"

/** How long the clock of a run goes, in milliseconds: to the end of whatever ends last. */
export const lengthOfRun = ({ durationMs = 0, recordings, steps }: TraceData): number => {
  const ends = [
    ...recordings.map(({ durationMs = 0, startedAtMs = 0 }) => startedAtMs + durationMs),
    ...steps.map(({ from, to = from }) => to)
  ]
  return ends.reduce((longest, end) => Math.max(longest, end), durationMs)
}
