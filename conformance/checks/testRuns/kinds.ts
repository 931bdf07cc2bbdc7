import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { registerRun, sendRun } from "../steps/runs.ts"

const bytes = bundleSizeBytes

const known: Check = {
  id: "runs.kind.known",
  profile: "testRuns",
  title: "A Maestro run and a Detox run are taken.",
  cost: { requests: 5, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("maestro", shareId, { kind: "maestro" })
    yield* registerRun("detox", shareId, { kind: "detox" })
  })
}

const refusedKind = (id: string, kind: Json | undefined, text: string): Check => ({
  id,
  profile: "testRuns",
  title: `A registration ${text} is refused.`,
  cost: { requests: 4, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* refuses(sendRun("first", shareId, { kind }), `A registration ${text}`, id)
  })
})

export const kindChecks: ReadonlyArray<Check> = [
  known,
  refusedKind("runs.kind.required", undefined, "without a kind"),
  refusedKind("runs.kind.other", "espresso", "of a kind that is neither `maestro` nor `detox`")
]
