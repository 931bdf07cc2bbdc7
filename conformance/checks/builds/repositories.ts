import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { mustLook, queryOf, readLatest, visible } from "../steps/builds.ts"
import { a, b } from "../steps/credentials.ts"
import { buildInput } from "../steps/inputs.ts"
import { refuses } from "../steps/refuses.ts"
import { sendReservation } from "../steps/reserveBuild.ts"

const unlinked: Check = {
  id: "builds.reserve.unlinked-repository",
  profile: "builds",
  title: "A reservation for a repository that is not linked to the account is refused.",
  cost: { requests: 1, bytes: 0 },
  run: Effect.gen(function* () {
    const { config } = yield* Session
    const input = yield* buildInput("build", { fields: config.accounts.a.unlinked })
    const what = "A reservation for a repository that is not linked"
    yield* refuses(sendReservation(input, a), what, "builds.reserve.unlinked-repository")
  })
}

const foreign: Check = {
  id: "builds.reserve.foreign-repository",
  profile: "builds",
  title: "A reservation for another account's repository is refused, and that account sees nothing of it.",
  cost: { requests: 3, bytes: 0 },
  run: Effect.gen(function* () {
    yield* needsTwoRepositories
    const input = yield* buildInput("build", { account: "b" })
    const read = readLatest(queryOf(input), b)
    const before = yield* visible(read)
    const what = "A reservation for another account's repository"
    yield* refuses(sendReservation(input, a), what, "builds.reserve.foreign-repository")
    yield* mustLook(read, before, "A refused reservation leaves the branch as it was.")
  })
}

export const repositoryChecks: ReadonlyArray<Check> = [unlinked, foreign]
