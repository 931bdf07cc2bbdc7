import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../Check.ts"
import type { Check } from "../Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { mustAnswer } from "../steps/answers.ts"
import { a, b } from "../steps/credentials.ts"
import { settled } from "../steps/eventually.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { registerRun, runBranch, runName } from "../steps/runs.ts"

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

export const listedChecks: ReadonlyArray<Check> = [repositoryAlone, without("org"), without("repo"), unlinked, foreign]
