import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { Client } from "../client/index.ts"
import { repository } from "./account.ts"
import type { DemoRun } from "./demoRuns.ts"
import type { RecordedRun } from "./recordedRun.ts"

/** Registers a test run against the preview that it was recorded with; its branch and commit are the preview's. */
export const registerRun = (
  client: Client,
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
