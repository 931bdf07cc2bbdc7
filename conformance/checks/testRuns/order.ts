import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { isRun, listRuns, listWith, registerRun, runName } from "../steps/runs.ts"

/** A host may keep its times in seconds. */
const apartMs = 1100

const pauses = 5

/** Lists now and then, until so much time has passed that two runs can't have the same time. */
const untilApart = Effect.gen(function* () {
  const session = yield* Session
  const end = (yield* session.now) + apartMs
  while ((yield* session.now) < end) {
    for (let pause = 0; pause < pauses; pause++) yield* session.pause
    yield* listRuns()
  }
})

const newestFirst: Check = {
  id: "runs.list.newest-first",
  profile: "testRuns",
  title: "The list of test runs is newest first.",
  cost: { requests: 20, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("older", shareId)
    yield* untilApart
    yield* registerRun("newer", shareId)
    const { runs } = yield* listWith(["older", "newer"])
    const newer = yield* runName("newer")
    const [first] = runs.map(({ json }) => json)
    yield* must(isRun(first, newer), `The run ${newer}, which was registered last, is first.`, first)
  })
}

export const orderChecks: ReadonlyArray<Check> = [newestFirst]
