import type { TraceData } from "./traceData.ts"

/** The length of a run's clock in milliseconds: until its last recording or step ends. */
export const lengthOfRun = ({ durationMs = 0, recordings, steps }: TraceData): number => {
  const ends = [
    ...recordings.map(({ durationMs = 0, startedAtMs = 0 }) => startedAtMs + durationMs),
    ...steps.map(({ from, to = from }) => to)
  ]
  return ends.reduce((longest, end) => Math.max(longest, end), durationMs)
}
