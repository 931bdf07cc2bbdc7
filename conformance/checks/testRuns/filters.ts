import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Fields, Listed } from "../../dialect/Dialect.ts"
import type { Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { answered2xx } from "../steps/answers.ts"
import { a } from "../steps/credentials.ts"
import { eventually } from "../steps/eventually.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { listRuns, registerRun, runBranch, runIn, runName, storedRuns } from "../steps/runs.ts"

const bytes = bundleSizeBytes

/** A filtered list has the run that fits and not the other, which was registered before it. */
const mustTellApart = Effect.fnUntraced(function* (filter: Fields, text: string) {
  const [other, fitting] = [yield* runName("other"), yield* runName("fitting")]
  const has = (listed: Listed, name: string) => runIn(listed, name) !== undefined
  const listed = yield* eventually(listRuns(filter), (listed) => has(listed, fitting))
  yield* must(has(listed, fitting), `A list filtered by ${text} has the run that fits.`, "It was without it.")
  yield* must(!has(listed, other), `A list filtered by ${text} is without the run that doesn't fit.`, "It had it.")
})

const branch: Check = {
  id: "runs.list.filter-branch",
  profile: "testRuns",
  title: "The list filtered by a branch has the runs of that branch and of no branch whose name begins like it.",
  cost: { requests: 6, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    const branch = yield* runBranch
    yield* registerRun("other", shareId, { branch: `${branch}-too` })
    yield* registerRun("fitting", shareId, { branch })
    yield* mustTellApart({ branch }, "branch")
  })
}

const kind = (name: string, fitting: string, other: string): Check => ({
  id: `runs.list.filter-${name}`,
  profile: "testRuns",
  title: `The list filtered by the kind \`${fitting}\` has the runs of that kind and no other.`,
  cost: { requests: 6, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("other", shareId, { kind: other })
    yield* registerRun("fitting", shareId, { kind: fitting })
    yield* mustTellApart({ kind: fitting }, "kind")
  })
})

/** What `status`, `source` and `pr` may say and what they mean isn't shown: each host has its own answer. */
const silent: Readonly<Record<string, Fields>> = {
  "status.passed": { status: "passed" },
  "status.failed": { status: "failed" },
  "source.ci": { source: "ci" },
  "pr.7": { pr: 7 }
}

const others: Check = {
  id: "runs.list.other-filters",
  profile: "testRuns",
  title: "The list takes `status`, `source` and `pr`, or refuses what they say.",
  cost: { requests: 10, bytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { observe } = yield* Session
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("passed", shareId, { status: "passed", source: "ci", pr: 7 })
    yield* registerRun("failed", shareId, { status: "failed", source: "nightly", pr: 8 })
    yield* storedRuns(["passed", "failed"])
    const names = [yield* runName("passed"), yield* runName("failed")]
    for (const [situation, filter] of Object.entries(silent)) {
      const answer = yield* dialect.listRuns({ branch: yield* runBranch, limit: 100, ...filter }, a)
      yield* must(
        answer.status < 500,
        "A filter isn't answered as the host's own fault.",
        `${situation}: ${answer.status}`
      )
      const listed = answered2xx(answer) ? yield* dialect.listed(answer) : undefined
      const seen: Json = listed === undefined ? answer.status : names.map((name) => runIn(listed, name) !== undefined)
      yield* observe(`runs.list.filter.${situation}`, seen)
    }
  })
}

export const filterChecks: ReadonlyArray<Check> = [
  branch,
  kind("maestro", "maestro", "detox"),
  kind("detox", "detox", "maestro"),
  others
]
