import { Effect } from "effect"
import type { SlipwayClient } from "../client/SlipwayClient.ts"
import { repository } from "./account.ts"

/** Registers a Maestro run that passed and a Detox run that failed against a preview, and lists them. */
export const registerRuns = Effect.fnUntraced(function* (client: SlipwayClient["Service"], previewShareId: string) {
  const common = { ...repository, previewShareId, source: "demo", pr: 7 } as const
  yield* client.testRuns.register({
    ...common,
    kind: "maestro",
    name: "Counting people at the gate",
    status: "passed",
    stepCount: 6,
    durationMs: 2170
  })
  yield* client.testRuns.register({
    ...common,
    kind: "detox",
    name: "Settings › shows lengths in feet",
    status: "failed",
    stepCount: 4,
    failedStepIndex: 2,
    durationMs: 3912,
    failureMessage: "Timed out while waiting for expectation: TOBEVISIBLE WITH MATCHER(id == “feet”)"
  })
  const { testRuns } = yield* client.testRuns.list({ org: repository.owner, repo: repository.repo, limit: 2 })
  return testRuns
})
