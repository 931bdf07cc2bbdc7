import { Effect } from "effect"
import { accountOf, by, querying } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { answer, asking, at, goingOn, isDone, refusing, telling, tellingElse } from "../parts/fronts.ts"
import { forEither, forNobodys } from "../parts/isolation.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { runsIn } from "./runsIn.ts"

const list = at("runs.list")
const lacking = (parameter: string) => at("runs.list", ({ query }) => query[parameter] === undefined)

const unneeded = (parameter: "org" | "repo"): Mutant => ({
  id: `runs.list.${parameter}-unneeded`,
  fault: `A list without \`${parameter}\` is answered for the account's repository.`,
  caughtBy: [`runs.list.without-${parameter}`],
  front: asking(lacking(parameter), (call, { config }) => {
    const { owner, repo } = config.accounts.a.linked
    return querying(call, { org: owner, repo })
  })
})

/** Lists beside an account's runs those of the other account. */
const ofBoth: Front = goingOn(list, (own, call, ask, { config }) => {
  const other = accountOf(call) === "a" ? "b" : "a"
  const { owner, repo } = config.accounts[other].linked
  return Effect.map(ask(querying(by(call, other), { org: owner, repo })), (others) =>
    isDone(own) ? telling(own, { testRuns: [...runsIn(own), ...runsIn(others)] }) : own
  )
})

/** Of which repository and branch runs are listed, and to whom. */
export const listedMutants: ReadonlyArray<Mutant> = [
  {
    id: "runs.list.empty",
    fault: "The list of test runs is always empty.",
    caughtBy: [
      "runs.register.stored",
      "runs.status.passed",
      "runs.status.other-word",
      "runs.status.other-case",
      "runs.status.padded",
      "runs.status.longer",
      "runs.status.not-a-text",
      "runs.status.absent",
      "runs.list.of-every-branch",
      "runs.list.filter-branch",
      "runs.list.filter-maestro",
      "runs.list.filter-detox",
      "runs.list.other-filters",
      "runs.list.limit",
      "runs.list.limit-lower",
      "runs.list.limit-upper",
      "runs.list.newest-first"
    ],
    front: tellingElse(list, () => ({ testRuns: [] }))
  },
  {
    id: "runs.list.branch-required",
    fault: "A list is refused without a branch.",
    caughtBy: ["runs.list.repository-alone", "runs.list.of-every-branch"],
    front: refusing(lacking("branch"))
  },
  {
    id: "runs.list.limit-required",
    fault: "A list is refused without a limit.",
    caughtBy: ["runs.list.repository-alone"],
    front: refusing(lacking("limit"))
  },
  {
    id: "runs.list.default-branch",
    fault: "A list without a branch has the runs of the branch `main`.",
    caughtBy: ["runs.list.of-every-branch"],
    front: asking(lacking("branch"), (call) => querying(call, { branch: "main" }))
  },
  unneeded("org"),
  unneeded("repo"),
  {
    id: "runs.list.unlinked-empty",
    fault: "The list of a repository that nobody linked is answered 200, and is empty.",
    caughtBy: ["runs.list.unlinked-repository"],
    front: forNobodys(list, answer(200, { testRuns: [] }))
  },
  {
    id: "runs.list.foreign-shown",
    fault: "The list of another account's repository is shown.",
    caughtBy: ["runs.list.foreign-repository"],
    front: forEither(list)
  },
  {
    id: "runs.list.repository-ignored",
    fault: "The list of a repository has the runs of every account's repositories.",
    caughtBy: ["runs.list.of-its-repository"],
    front: ofBoth
  }
]
