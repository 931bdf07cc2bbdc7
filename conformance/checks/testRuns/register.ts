import { Effect } from "effect"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes, commitSha } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { registerRun, storedRuns } from "../steps/runs.ts"

const bytes = bundleSizeBytes

const stored: Check = {
  id: "runs.register.stored",
  profile: "testRuns",
  title: "A registered test run is in the list of its repository and branch.",
  cost: { requests: 5, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("first", shareId)
    yield* storedRuns(["first"])
  })
}

const everyField: Check = {
  id: "runs.register.every-field",
  profile: "testRuns",
  title: "A registration with every field of the table in its format is taken, the failure fields included.",
  cost: { requests: 4, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("first", shareId, {
      kind: "maestro",
      prompt: "Buy the first thing, then pay",
      status: "failed",
      commitSha: yield* commitSha("run"),
      stepCount: 12,
      durationMs: 34_567,
      failureMessage: "Element not found: pay",
      failedStepIndex: 7
    })
  })
}

const noFailure: Check = {
  id: "runs.register.without-failure-fields",
  profile: "testRuns",
  title: "A failed run is taken without `failureMessage` and `failedStepIndex`.",
  cost: { requests: 4, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("first", shareId, { status: "failed" })
  })
}

export const registerChecks: ReadonlyArray<Check> = [stored, everyField, noFailure]
