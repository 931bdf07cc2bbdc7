import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { b } from "../steps/credentials.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { mustNotBeStored, sendRun } from "../steps/runs.ts"

const unlinked: Check = {
  id: "runs.register.unlinked-repository",
  profile: "testRuns",
  title: "A registration for a repository that is not linked to the account is refused.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { config } = yield* Session
    const { shareId } = yield* hostedPreview("preview")
    const what = "A registration for a repository that is not linked"
    yield* refuses(sendRun("first", shareId, config.accounts.a.unlinked), what, "runs.register.unlinked-repository")
  })
}

const foreign: Check = {
  id: "runs.register.foreign-repository",
  profile: "testRuns",
  title: "A registration for another account's repository is refused, and that account's list is without the run.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    yield* needsTwoRepositories
    const { config } = yield* Session
    const { shareId } = yield* hostedPreview("preview")
    const { owner, repo } = config.accounts.b.linked
    const what = "A registration for another account's repository"
    yield* refuses(sendRun("first", shareId, { owner, repo }), what, "runs.register.foreign-repository")
    yield* mustNotBeStored("first", what, { org: owner, repo }, b)
  })
}

export const repositoryChecks: ReadonlyArray<Check> = [unlinked, foreign]
