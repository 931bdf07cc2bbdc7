import { Effect } from "effect"
import { must } from "../../dialect/Violation.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable, Skipped } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { queryOf, readLatest, visible } from "../steps/builds.ts"
import { settled } from "../steps/eventually.ts"
import { branch, bundleSizeBytes, commitSha, identityOf, type BuildOverrides } from "../steps/inputs.ts"
import { finalizeBuild, readyBuild, reserveBuild, reserveBuildAgain } from "../steps/makeBuilds.ts"
import { uploadAll } from "../steps/uploadAll.ts"

/** Two uploads that differ in one part must be two builds. `text` completes "Two builds of the same …". */
const difference = (
  name: string,
  text: string,
  other: Effect.Effect<BuildOverrides, Skipped, Session>
): CheckTable => ({
  [`builds.identity.${name}`]: {
    title: `Two builds of the same ${text} are two builds.`,
    cost: { requests: 6, bytes: 2 * bundleSizeBytes },
    *run() {
      const { fields, ...account } = yield* other
      const first = yield* readyBuild("first")
      const second = yield* readyBuild("second", { ...account, fields: { ...identityOf(first.input), ...fields } })
      const areTwo = first.row.url !== second.row.url || first.row.id !== second.row.id
      yield* must(areTwo, `Two builds of the same ${text} have two urls.`, `Both had ${second.row.url ?? "no url"}.`)
    }
  }
})

/** Which uploads are the same build. */
export const identityChecks: CheckTable = {
  "builds.identity.updated": {
    title: "Another upload for a ready build's repository, branch, platform and commit updates that build.",
    cost: { requests: 7, bytes: 2 * bundleSizeBytes },
    *run() {
      const session = yield* Session
      const first = yield* readyBuild("first")
      const second = yield* reserveBuildAgain("second", first)
      const { found, hasPreviewUrl } = yield* settled(visible(readLatest(queryOf(first.input))))
      yield* session.observe("builds.latest.while-updating", { found, hasPreviewUrl })
      yield* uploadAll(second.reserved)
      const row = yield* finalizeBuild(second.reserved)
      yield* must(row.url === first.row.url, `The build keeps its url ${first.row.url ?? ""}.`, row.url)
      yield* must(row.id === first.row.id, `The build keeps its id ${first.row.id ?? ""}.`, row.id)
    }
  },
  "builds.identity.reserved-again": {
    title: "A reservation for a ready build answers the url of that build.",
    cost: { requests: 4, bytes: bundleSizeBytes },
    *run() {
      const first = yield* readyBuild("first")
      const second = yield* reserveBuildAgain("second", first)
      const { url } = first.reserved
      yield* must(second.reserved.url === url, `The build keeps its url ${url ?? ""}.`, second.reserved.url)
    }
  },
  "builds.identity.while-uploading": {
    title: "Two reservations of one build that isn't ready answer the same url.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      const first = yield* reserveBuild("first")
      const second = yield* reserveBuildAgain("second", first)
      const { url } = first.reserved
      yield* must(second.reserved.url === url, `Both reservations answer the url ${url ?? ""}.`, second.reserved.url)
    }
  },
  ...difference(
    "other-branch",
    "repository, platform and commit on two branches",
    Effect.map(branch("second"), (branch) => ({ fields: { branch } }))
  ),
  ...difference(
    "other-platform",
    "repository, branch and commit for two platforms",
    Effect.succeed({ fields: { platform: "android" } })
  ),
  ...difference(
    "other-commit",
    "repository, branch and platform of two commits",
    Effect.map(commitSha("second"), (commitSha) => ({ fields: { commitSha } }))
  ),
  ...difference(
    "other-repository",
    "branch, platform and commit in two repositories",
    Effect.gen(function* () {
      yield* needsTwoRepositories
      const { config } = yield* Session
      return { account: "b", fields: config.accounts.b.linked }
    })
  )
}
