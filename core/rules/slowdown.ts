import type { PastRun, TestSummary } from "../model/TestHistory.ts"
import { tellingRun, type JudgedResult } from "./testResults.ts"

/** From which share on a longer median duration is pointed out. */
export const slowerShare = 0.1

/** By which share the median duration of a test changed, of the last 30 results against the 30 before. */
export const medianChange = ({
  earlierP50Ms,
  recentP50Ms
}: Pick<TestSummary, "earlierP50Ms" | "recentP50Ms">): number | undefined =>
  recentP50Ms === undefined || earlierP50Ms === undefined || earlierP50Ms === 0
    ? undefined
    : recentP50Ms / earlierP50Ms - 1

/**
 * The first run of those that take longer than the earlier median, by {@link slowerShare}; `results` are newest first. One faster
 * run in between is ignored.
 */
export const slowerSince = (results: ReadonlyArray<JudgedResult>, earlierP50Ms: number): PastRun | undefined => {
  let [first, isFaster]: [PastRun | undefined, boolean] = [undefined, false]
  for (const run of results.map(tellingRun)) {
    if (run.durationMs === undefined) continue
    if (run.durationMs > earlierP50Ms * (1 + slowerShare)) [first, isFaster] = [run, false]
    else if (isFaster) return first
    else isFaster = true
  }
  return first
}
