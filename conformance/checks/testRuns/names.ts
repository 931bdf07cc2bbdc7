import { Effect } from "effect"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { registerRun, runName, sendRun } from "../steps/runs.ts"

const bytes = bundleSizeBytes

const either: Check = {
  id: "runs.name.either",
  profile: "testRuns",
  title: "A run is taken with a name, with a prompt, and with both.",
  cost: { requests: 6, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("named", shareId)
    yield* registerRun("prompted", shareId, { name: undefined, prompt: yield* runName("prompted") })
    yield* registerRun("both", shareId, { prompt: "Buy the first thing, then pay" })
  })
}

const neither: Check = {
  id: "runs.name.neither",
  profile: "testRuns",
  title: "A registration with neither name nor prompt is refused.",
  cost: { requests: 4, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    const attempt = sendRun("first", shareId, { name: undefined })
    yield* refuses(attempt, "A registration with neither name nor prompt", "runs.name.neither")
  })
}

export const nameChecks: ReadonlyArray<Check> = [either, neither]
