import { assert, describe, it } from "@effect/vitest"
import { TestRunId } from "../model/TestRun.ts"
import { judged, medianChange, slowerSince } from "./testResults.ts"

/** Results with these durations, the newest first; each run has the number of its result as id. */
const resultsOf = (...durations: ReadonlyArray<number | undefined>) =>
  judged(
    durations.map((durationMs, at) => ({
      ciRun: `source-${at}`,
      runs: [
        {
          runId: TestRunId.make(String(at)),
          at,
          status: "passed",
          ...(durationMs === undefined ? {} : { durationMs })
        }
      ]
    }))
  )

describe("a slowdown", () => {
  it("a median changes by a share of the one before, if there was one", () => {
    assert.strictEqual(medianChange({ recentP50Ms: 1500, earlierP50Ms: 1000 }), 0.5)
    assert.isUndefined(medianChange({ recentP50Ms: 1500 }))
    assert.isUndefined(medianChange({ recentP50Ms: 1500, earlierP50Ms: 0 }))
  })

  it("begins with the first of the runs that take longer, although one of them or one without a duration does not", () => {
    assert.strictEqual(slowerSince(resultsOf(1500, 1000, 1400, undefined, 1200, 1100, 1000, 1500), 1000)?.runId, "4")
    assert.strictEqual(slowerSince(resultsOf(1500, 1101), 1000)?.runId, "1")
    assert.isUndefined(slowerSince(resultsOf(1000, 1000, 1500), 1000))
  })
})
