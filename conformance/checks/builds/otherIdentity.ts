import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check, Skipped } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { branch, bundleSizeBytes, commitSha, identityOf } from "../steps/inputs.ts"
import type { BuildOverrides } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"

interface Difference {
  readonly name: string
  /** Completes "Two builds of the same …". */
  readonly text: string
  /** What replaces the identity of the first build in the second. */
  readonly other: Effect.Effect<BuildOverrides, Skipped, Session>
}

const differences: ReadonlyArray<Difference> = [
  {
    name: "other-branch",
    text: "repository, platform and commit on two branches",
    other: Effect.map(branch("second"), (branch) => ({ fields: { branch } }))
  },
  {
    name: "other-platform",
    text: "repository, branch and commit for two platforms",
    other: Effect.succeed({ fields: { platform: "android" } })
  },
  {
    name: "other-commit",
    text: "repository, branch and platform of two commits",
    other: Effect.map(commitSha("second"), (commitSha) => ({ fields: { commitSha } }))
  },
  {
    name: "other-repository",
    text: "branch, platform and commit in two repositories",
    other: Effect.gen(function* () {
      yield* needsTwoRepositories
      const { config } = yield* Session
      return { account: "b", fields: config.accounts.b.linked }
    })
  }
]

const difference = ({ name, other, text }: Difference): Check => ({
  id: `builds.identity.${name}`,
  profile: "builds",
  title: `Two builds of the same ${text} are two builds.`,
  cost: { requests: 6, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const { fields, ...account } = yield* other
    const first = yield* readyBuild("first")
    const second = yield* readyBuild("second", { ...account, fields: { ...identityOf(first.input), ...fields } })
    const areTwo = first.row.url !== second.row.url || first.row.id !== second.row.id
    yield* must(areTwo, `Two builds of the same ${text} have two urls.`, `Both had ${second.row.url ?? "no url"}.`)
  })
})

export const otherIdentityChecks: ReadonlyArray<Check> = differences.map(difference)
