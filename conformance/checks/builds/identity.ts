import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { must } from "../../dialect/Violation.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable, Skipped } from "../steps/Check.ts"
import { a, otherRepositories } from "../steps/accounts.ts"
import { answered2xx } from "../steps/answers.ts"
import { idOf, queryOf, readById, readLatest, settledRow, visible } from "../steps/builds.ts"
import { settled } from "../steps/eventually.ts"
import {
  branch,
  buildInput,
  bundle,
  bundleSizeBytes,
  commitSha,
  identityOf,
  type BuildOverrides
} from "../steps/inputs.ts"
import { finalizeBuild, readyBuild, reserveBuild, reserveBuildAgain } from "../steps/makeBuilds.ts"
import { mentions } from "../steps/mentions.ts"
import { uploadAll } from "../steps/uploadAll.ts"

/** Two uploads that differ in one part must be two builds. `text` completes "Two builds of the same …". */
const difference = (
  name: string,
  text: string,
  others: Effect.Effect<ReadonlyArray<BuildOverrides>, Skipped, Session>,
  count = 1
): CheckTable => ({
  [`builds.identity.${name}`]: {
    title: `Two builds of the same ${text} are two builds.`,
    cost: { requests: 3 + 3 * count, bytes: (1 + count) * bundleSizeBytes },
    *run() {
      const all = yield* others
      const same = { bundle: yield* bundle("same") }
      const first = yield* readyBuild("first", same)
      for (const { fields, ...account } of all) {
        const identity = { ...identityOf(first.input), ...fields }
        const second = yield* readyBuild("second", { ...account, ...same, fields: identity })
        const areTwo = first.row.url !== second.row.url || first.row.id !== second.row.id
        yield* must(areTwo, `Two builds of the same ${text} have two urls.`, `Both had ${second.row.url ?? "no url"}.`)
      }
    }
  }
})

/** Names of branches that differ where a name is cut, folded or normalized. */
export const alikeNames = (name: string): ReadonlyArray<string> => [
  `${name}-${"x".repeat(30)}-1`,
  `${name}-${"x".repeat(30)}-2`,
  `${name}-\u00e9`,
  `${name}-e\u0301`,
  `${name}-Case`,
  `${name}-case`
]

/** How often two requests are sent at the same time: a race is not always lost. */
const rounds = 3
const together = { concurrency: "unbounded" } as const

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
      const [expected, came] = [first.row.answer.status, row.answer.status]
      yield* must(came === expected, `The finalize of another upload returns ${expected} as the first did.`, came)
    }
  },
  "builds.identity.reserved-again": {
    title: "A reservation for a ready build returns the url of that build.",
    cost: { requests: 4, bytes: bundleSizeBytes },
    *run() {
      const first = yield* readyBuild("first")
      const second = yield* reserveBuildAgain("second", first)
      const { url } = first.reserved
      yield* must(second.reserved.url === url, `The build keeps its url ${url ?? ""}.`, second.reserved.url)
    }
  },
  "builds.identity.while-uploading": {
    title: "Two reservations of one build that isn't ready return the same url.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      const first = yield* reserveBuild("first")
      const second = yield* reserveBuildAgain("second", first)
      const { url } = first.reserved
      yield* must(second.reserved.url === url, `Both reservations return the url ${url ?? ""}.`, second.reserved.url)
    }
  },
  "builds.identity.new-digest": {
    title: "A build that shows the digest of its bundle shows that of the last upload.",
    cost: { requests: 7, bytes: 2 * bundleSizeBytes },
    *run() {
      const first = yield* readyBuild("first")
      const { input, reserved } = yield* reserveBuildAgain("second", first)
      const [old, now] = [first.input.bundle.content.sha256, input.bundle.content.sha256]
      // A target may show no digest at all.
      if (!mentions(first.row.answer, [old])) return
      yield* uploadAll(reserved)
      const row = yield* finalizeBuild(reserved)
      const read = yield* settledRow(readById(yield* idOf(first.row)))
      for (const { answer } of [row, read]) {
        const expected = `The row shows the digest of the second upload, ${now}.`
        yield* must(mentions(answer, [now]), expected, answer.text)
      }
    }
  },
  "builds.identity.reserved-at-once": {
    title: "Reservations of one build that arrive at the same time return the same url.",
    cost: { requests: rounds * 2, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      for (let round = 0; round < rounds; round++) {
        const input = yield* buildInput(`round ${round}`)
        const answers = yield* Effect.all([dialect.reserveBuild(input, a), dialect.reserveBuild(input, a)], together)
        const urls = yield* Effect.forEach(answers.filter(answered2xx), (answer) =>
          Effect.map(dialect.reserved(answer, input), ({ url }) => url)
        )
        yield* must(new Set(urls).size <= 1, "Both reservations return the same url.", urls.join(" and "))
      }
    }
  },
  "builds.identity.finalized-at-once": {
    title: "Uploads of one build that are finalized at the same time are one build.",
    cost: { requests: rounds * 6, bytes: rounds * 2 * bundleSizeBytes },
    *run() {
      const dialect = yield* Dialect
      for (let round = 0; round < rounds; round++) {
        const first = yield* reserveBuild(`round ${round}`)
        const second = yield* reserveBuildAgain(`again ${round}`, first)
        yield* uploadAll(first.reserved)
        yield* uploadAll(second.reserved)
        const finalize = [first, second].map(({ reserved }) => dialect.finalizeBuild(reserved.token, a))
        const rows = yield* Effect.forEach((yield* Effect.all(finalize, together)).filter(answered2xx), dialect.row)
        const ids = new Set(rows.map(({ id, url }) => `${id ?? ""} at ${url ?? ""}`))
        yield* must(ids.size <= 1, "Both rows are of the same build.", [...ids].join(" and "))
      }
    }
  },
  ...difference(
    "other-branch",
    "repository, platform and commit on two branches",
    Effect.map(branch("second"), (branch) => [{ fields: { branch } }])
  ),
  ...difference(
    "other-platform",
    "repository, branch and commit for two platforms",
    Effect.succeed([{ fields: { platform: "android" } }])
  ),
  ...difference(
    "other-commit",
    "repository, branch and platform of two commits",
    Effect.map(commitSha("second"), (commitSha) => [{ fields: { commitSha } }])
  ),
  ...difference(
    "commit-in-full",
    "repository, branch and platform of two commits that differ in their last digit",
    Effect.map(commitSha("first"), (sha) => [
      { fields: { commitSha: sha.slice(0, -1) + (sha.endsWith("0") ? "1" : "0") } }
    ])
  ),
  ...difference(
    "other-repository",
    "branch, platform and commit in two repositories",
    Effect.map(otherRepositories, (others) =>
      others.map(({ account, repository }) => ({ account, fields: repository }))
    ),
    2
  ),
  "builds.identity.branch-in-full": {
    title: "Branches whose names differ only in their ends, in case or in how a letter is written are other builds.",
    cost: { requests: 6, bytes: 0 },
    *run() {
      const urls = new Map<string, string>()
      const sha = yield* commitSha("build")
      for (const name of alikeNames(yield* branch("build"))) {
        const dialect = yield* Dialect
        const input = yield* buildInput("build", { fields: { branch: name, commitSha: sha } })
        const answer = yield* dialect.reserveBuild(input, a)
        // Which names a branch may have isn't said.
        if (!answered2xx(answer)) continue
        const { url } = yield* dialect.reserved(answer, input)
        if (url === undefined) continue
        const other = urls.get(url)
        yield* must(other === undefined, "Two branches have builds of two urls.", `${other} and ${name} had ${url}.`)
        urls.set(url, name)
      }
    }
  }
}
