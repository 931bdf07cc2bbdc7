import { Effect } from "effect"
import { querying } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { asking, at, goingOn, refusing, telling, tellingElse } from "../parts/fronts.ts"
import { items, members } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { runsIn } from "./runsIn.ts"

const list = at("runs.list")

const limited = (when: (limit: number) => boolean) =>
  at("runs.list", ({ query: { limit } }) => /^-?\d+$/.test(String(limit)) && when(Number(limit)))

const tooLow = limited((limit) => limit < 1)
const tooHigh = limited((limit) => limit > 100)

/** Lists more than 100, a page and another. */
const unbounded: Front = goingOn(tooHigh, (first, call, ask) => {
  const { nextCursor: cursor } = members(first.json)
  return cursor === undefined
    ? Effect.succeed(first)
    : Effect.map(ask(querying(call, { cursor })), (second) =>
        telling(first, { testRuns: [first, second].flatMap(runsIn) })
      )
})

/** How many runs are listed, and in which order. */
export const limitMutants: ReadonlyArray<Mutant> = [
  {
    id: "runs.list.one-more",
    fault: "A list has one run more than its limit says, within the bounds.",
    caughtBy: ["runs.list.limit"],
    front: asking(
      limited(() => true),
      (call) => querying(call, { limit: Number(call.query.limit) + 1 })
    )
  },
  {
    id: "runs.list.low-refused",
    fault: "A list with a limit below 1 is refused.",
    caughtBy: ["runs.list.limit-lower"],
    front: refusing(tooLow)
  },
  {
    id: "runs.list.low-ignored",
    fault: "A limit below 1 is no limit.",
    caughtBy: ["runs.list.limit-lower"],
    front: asking(tooLow, (call) => querying(call, { limit: undefined }))
  },
  {
    id: "runs.list.high-refused",
    fault: "A list with a limit above 100 is refused.",
    caughtBy: ["runs.list.limit-upper"],
    front: refusing(tooHigh)
  },
  {
    id: "runs.list.high-taken",
    fault: "A limit above 100 is taken as it is.",
    caughtBy: ["runs.list.limit-upper"],
    front: unbounded
  },
  {
    id: "runs.list.limit-ignored",
    fault: "The limit of a list is ignored: it has up to 100 runs.",
    caughtBy: ["runs.list.limit", "runs.list.limit-lower"],
    front: asking(list, (call) => querying(call, { limit: 100 }))
  },
  {
    id: "runs.list.oldest-first",
    fault: "The list of test runs is oldest first.",
    caughtBy: ["runs.list.newest-first"],
    front: tellingElse(list, (fields) => ({ ...fields, testRuns: items(fields.testRuns).toReversed() }))
  }
]
