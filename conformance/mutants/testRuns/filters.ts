import { Effect } from "effect"
import { querying } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { asking, at, failure, goingOn, isDone, outright, telling } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { runsIn } from "./runsIn.ts"

/** Lists also the runs of branches whose names begin like the one that is asked for. */
const byPrefix: Front = (ask, target) => {
  const branches = new Set<string>()
  const listed = goingOn(at("runs.list"), (own, call, ask) => {
    const { branch } = call.query
    const others = [...branches].filter((name) => name !== branch && name.startsWith(String(branch)))
    return Effect.map(
      Effect.forEach(others, (branch) => ask(querying(call, { branch }))),
      (more) => (isDone(own) ? telling(own, { testRuns: [...more, own].flatMap(runsIn) }) : own)
    )
  })(ask, target)
  return (call) => {
    if (call.endpoint === "runs.register" && typeof call.fields.branch === "string") branches.add(call.fields.branch)
    return listed(call)
  }
}

const kindIgnored = (kind: "maestro" | "detox"): Mutant => ({
  id: `runs.list.${kind}-ignored`,
  fault: `The list filtered by the kind \`${kind}\` isn't filtered.`,
  caughtBy: [`runs.list.filter-${kind}`],
  front: asking(
    at("runs.list", ({ query }) => query.kind === kind),
    (call) => querying(call, { kind: undefined })
  )
})

/** What filters the list of test runs. */
export const filterMutants: ReadonlyArray<Mutant> = [
  {
    id: "runs.list.branch-by-prefix",
    fault: "The list filtered by a branch has the runs of every branch whose name begins like it.",
    caughtBy: ["runs.list.filter-branch"],
    front: byPrefix
  },
  kindIgnored("maestro"),
  kindIgnored("detox"),
  {
    id: "runs.list.kind-ignored",
    fault: "The list is not filtered by kind.",
    caughtBy: ["runs.list.filter-maestro", "runs.list.filter-detox"],
    front: asking(at("runs.list"), (call) => querying(call, { kind: undefined }))
  },
  {
    id: "runs.list.source-fails",
    fault: "A list filtered by a source is answered 500.",
    caughtBy: ["runs.list.other-filters"],
    front: outright(
      at("runs.list", ({ query }) => query.source !== undefined),
      failure
    )
  }
]
