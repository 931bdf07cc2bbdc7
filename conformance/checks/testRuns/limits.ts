import { Effect } from "effect"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { keyOf } from "../steps/credentials.ts"
import { eventually } from "../steps/eventually.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { listRuns, registerRun, storedRuns } from "../steps/runs.ts"

const bytes = bundleSizeBytes

const mustList = Effect.fnUntraced(function* (limit: number, expected: number, as = keyOf("a")) {
  const { runs } = yield* eventually(listRuns({ limit }, as), ({ runs }) => runs.length === expected)
  yield* must(
    runs.length === expected,
    `A list with the limit ${limit} of a branch with more runs has ${expected}.`,
    `It had ${runs.length}.`
  )
})

const ofThree = (id: string, title: string, limits: Readonly<Record<string, number>>): Check => ({
  id,
  profile: "testRuns",
  title,
  cost: { requests: 7 + Object.keys(limits).length, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    const labels = ["first", "second", "third"]
    for (const label of labels) yield* registerRun(label, shareId)
    yield* storedRuns(labels)
    for (const [limit, expected] of Object.entries(limits)) yield* mustList(Number(limit), expected)
  })
})

const most = 100

/** Of account `b`, so that so many runs are in no list of another check. */
const upper: Check = {
  id: "runs.list.limit-upper",
  profile: "testRuns",
  title: "A limit above 100 is taken for 100.",
  cost: { requests: most + 5, bytes },
  run: Effect.gen(function* () {
    const key = keyOf("b")
    const { shareId } = yield* hostedPreview("preview", { account: "b" })
    for (let run = 0; run <= most; run++) yield* registerRun(`run ${run}`, shareId, {}, key)
    yield* mustList(1000, most, key)
  })
}

export const limitChecks: ReadonlyArray<Check> = [
  ofThree("runs.list.limit", "A list of three runs with the limit 2 has two.", { "2": 2 }),
  ofThree("runs.list.limit-lower", "A limit below 1 is taken for 1.", { "0": 1, "-5": 1 }),
  upper
]
