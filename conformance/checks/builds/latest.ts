import { Effect } from "effect"
import type { Row } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { mustHaveUrl, queryOf, readLatest, readRow, settledRow } from "../steps/builds.ts"
import { existingBuild, suppliedBuild } from "../steps/existingBuild.ts"
import { branch, bundleSizeBytes, commitSha } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"

const url: Check = {
  id: "builds.latest.url",
  profile: "builds",
  title: "The latest build of a branch has the url that finalize answered.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const session = yield* Session
    const ready = yield* readyBuild("build")
    const expected = `The latest build of its branch has the url ${ready.url ?? ""}.`
    const row = yield* readRow(readLatest(queryOf(ready.input)), expected, ({ url }) => url === ready.url)
    yield* session.observe("builds.latest.status", row.answer.status)
  })
}

const shows = (name: string, title: string, expected: string, holds: (row: Row) => boolean): Check => ({
  id: `builds.latest.${name}`,
  profile: "builds",
  title,
  cost: { requests: 4, bytes: bundleSizeBytes },
  supplied: suppliedBuild,
  run: Effect.gen(function* () {
    const { query } = yield* existingBuild("build")
    yield* readRow(readLatest(query), expected, holds)
  })
})

const previewUrl = shows(
  "preview-url",
  "The latest build of a branch has a previewUrl once it is ready.",
  "The latest build of a branch, being ready, has a previewUrl.",
  (row) => row.previewUrl !== undefined
)

const status = shows(
  "status-fields",
  "The latest build of a branch has a status.",
  "The latest build has status fields, one of them where `answers.buildStatus` of the config says.",
  (row) => row.status !== undefined
)

const newest: Check = {
  id: "builds.latest.newest",
  profile: "builds",
  title: "The latest build of a branch is the one that was uploaded last.",
  cost: { requests: 7, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const first = yield* readyBuild("first")
    const fields = { branch: first.input.fields.branch, commitSha: yield* commitSha("second") }
    const second = yield* readyBuild("second", { fields })
    const expected = `The latest build of a branch is the second of two, ${second.url ?? ""}.`
    yield* readRow(readLatest(queryOf(first.input)), expected, ({ url }) => url === second.url)
  })
}

const ofItsBranch: Check = {
  id: "builds.latest.of-its-branch",
  profile: "builds",
  title: "The latest build of a branch isn't one of a branch whose name begins like it.",
  cost: { requests: 7, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const name = yield* branch("build")
    const short = yield* readyBuild("short", { fields: { branch: name } })
    yield* readyBuild("long", { fields: { branch: `${name}/more` } })
    const latest = yield* settledRow(readLatest(queryOf(short.input)))
    const expected = `The latest build of the branch ${name} is its own, not that of ${name}/more: ${short.url ?? ""}.`
    yield* mustHaveUrl(latest, short.url, expected)
  })
}

const ofItsRepository: Check = {
  id: "builds.latest.of-its-repository",
  profile: "builds",
  title: "The latest build of a branch isn't one of another account's branch of that name.",
  cost: { requests: 8, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    yield* needsTwoRepositories
    const { config } = yield* Session
    const own = yield* readyBuild("own")
    const fields = { branch: own.input.fields.branch, ...config.accounts.b.linked }
    const other = yield* readyBuild("other", { account: "b", fields })
    for (const { as, input, url } of [own, other]) {
      const latest = yield* settledRow(readLatest(queryOf(input), as))
      yield* mustHaveUrl(latest, url, `The latest build of a branch is that of the repository asked for: ${url ?? ""}.`)
    }
  })
}

export const latestChecks: ReadonlyArray<Check> = [url, previewUrl, status, newest, ofItsBranch, ofItsRepository]
