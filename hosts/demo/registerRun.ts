import { Effect } from "effect"
import type { SlipwayClient } from "../client/effect/SlipwayClient.ts"
import { repository } from "./account.ts"
import type { DemoRun } from "./demoRuns.ts"
import type { RecordedRun } from "./recordedRun.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"

/** Registers a test run against the preview that it was recorded with; its branch and commit are the preview's. */
export const registerRun = (
  client: SlipwayClient["Service"],
  { git, kind, name }: DemoRun,
  { durationMs, failedStepIndex, failureMessage, stepCount }: RecordedRun,
  previewShareId: string
) =>
  client.testRuns.register({
    ...repository,
    previewShareId,
    kind,
    name,
    source: "demo",
    status: failedStepIndex === undefined ? "passed" : "failed",
    durationMs,
    stepCount,
    ...("pr" in git ? { pr: git.pr } : {}),
    ...withoutUndefined({ failedStepIndex, failureMessage })
  })

/** The last runs of the demo's repository, the last first. */
export const listRuns = (client: SlipwayClient["Service"], limit: number) =>
  Effect.map(client.testRuns.list({ org: repository.owner, repo: repository.repo, limit }), ({ testRuns }) => testRuns)
