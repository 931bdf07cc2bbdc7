import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Listed } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { mustAnswer } from "../steps/answers.ts"
import { a, b } from "../steps/credentials.ts"
import { eventually, settled } from "../steps/eventually.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { listRuns, mustNotBeStored, registerRun, runBranch, runIn, runName } from "../steps/runs.ts"

const repositoryAlone: Check = {
  id: "runs.list.repository-alone",
  profile: "testRuns",
  title: "The list of test runs wants nothing but `org` and `repo`.",
  cost: { requests: 1, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { observe } = yield* Session
    const answer = yield* dialect.listRuns({}, a)
    yield* mustAnswer(answer, "The list of test runs of a linked repository")
    yield* dialect.listed(answer)
    yield* observe("runs.list.status", answer.status)
  })
}

const without = (parameter: "org" | "repo"): Check => ({
  id: `runs.list.without-${parameter}`,
  profile: "testRuns",
  title: `A list of test runs without \`${parameter}\` is refused.`,
  cost: { requests: 1, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const asked = dialect.listRuns({ [parameter]: undefined }, a)
    yield* refuses(asked, `A list of test runs without ${parameter}`, `runs.list.without-${parameter}`)
  })
})

const unlinked: Check = {
  id: "runs.list.unlinked-repository",
  profile: "testRuns",
  title: "A list of the test runs of a repository that is not linked to the account is refused.",
  cost: { requests: 1, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { config } = yield* Session
    const { owner, repo } = config.accounts.a.unlinked
    const asked = dialect.listRuns({ org: owner, repo }, a)
    yield* refuses(asked, "A list for a repository that is not linked", "runs.list.unlinked-repository")
  })
}

const foreign: Check = {
  id: "runs.list.foreign-repository",
  profile: "testRuns",
  title: "A list of the test runs of another account's repository is refused, and none of them is told.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    yield* needsTwoRepositories
    const dialect = yield* Dialect
    const { config } = yield* Session
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("first", shareId)
    const { owner, repo } = config.accounts.a.linked
    const asked = dialect.listRuns({ org: owner, repo, branch: yield* runBranch, limit: 100 }, b)
    const what = "A list for another account's repository"
    const answer = yield* refuses(settled(asked), what, "runs.list.foreign-repository")
    yield* must(!answer.text.includes(yield* runName("first")), `${what} tells no run of it.`, answer.text)
  })
}

const everyBranch: Check = {
  id: "runs.list.of-every-branch",
  profile: "testRuns",
  title: "The list of test runs has runs of every branch when no branch is asked for.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("first", shareId)
    const name = yield* runName("first")
    const has = (listed: Listed) => runIn(listed, name) !== undefined
    const listed = yield* eventually(listRuns({ branch: undefined }), has)
    yield* must(has(listed), "A list without a branch has the run that was registered just now.", "It was without it.")
  })
}

const ofItsRepository: Check = {
  id: "runs.list.of-its-repository",
  profile: "testRuns",
  title: "The list of test runs is without those of another account's branch of the same name.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    yield* needsTwoRepositories
    const { config } = yield* Session
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("first", shareId)
    const { owner, repo } = config.accounts.b.linked
    yield* mustNotBeStored("first", "A run of another account's repository", { org: owner, repo }, b)
  })
}

export const listedChecks: ReadonlyArray<Check> = [
  repositoryAlone,
  everyBranch,
  without("org"),
  without("repo"),
  unlinked,
  foreign,
  ofItsRepository
]
