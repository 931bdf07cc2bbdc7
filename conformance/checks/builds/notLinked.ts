import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Answer } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { readById, readLatest, settledRow } from "../steps/builds.ts"
import { b } from "../steps/credentials.ts"
import { existingBuild, suppliedBuild } from "../steps/existingBuild.ts"
import { branch, bundleSizeBytes } from "../steps/inputs.ts"

const mustBeNotFound = Effect.fnUntraced(function* (answer: Answer) {
  const { codes } = yield* Dialect
  const expected = "A repository that is not linked to the account is answered with 404 and the code not_found."
  const isCode = codes(answer).includes("not_found")
  const came = `It answered ${answer.status} ${isCode ? "with" : "without"} the code not_found.`
  yield* must(answer.status === 404 && isCode, expected, came)
})

const unlinked: Check = {
  id: "builds.latest.unlinked",
  profile: "builds",
  title: "The latest build of a branch of a repository that is not linked is 404 not_found.",
  cost: { requests: 1, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    const { config } = yield* Session
    const query = { ...config.accounts.a.unlinked, branch: yield* branch("build"), platform: "ios" }
    yield* mustBeNotFound(yield* readLatest(query))
  })
}

const latestOfAnother: Check = {
  id: "builds.latest.foreign",
  profile: "builds",
  title: "The latest build of a branch of another account's repository is 404 not_found.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  supplied: suppliedBuild,
  run: Effect.gen(function* () {
    yield* needsTwoRepositories
    const { query } = yield* existingBuild("build")
    yield* settledRow(readLatest(query))
    yield* mustBeNotFound(yield* readLatest(query, b))
  })
}

const idOfAnother: Check = {
  id: "builds.read.foreign",
  profile: "builds",
  title: "Another account's build by its id is 404 not_found.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  supplied: suppliedBuild,
  run: Effect.gen(function* () {
    yield* needsTwoRepositories
    const existing = yield* existingBuild("build")
    const id = yield* existing.id
    yield* settledRow(readById(id))
    yield* mustBeNotFound(yield* readById(id, b))
  })
}

export const notLinkedChecks: ReadonlyArray<Check> = [unlinked, latestOfAnother, idOfAnother]
