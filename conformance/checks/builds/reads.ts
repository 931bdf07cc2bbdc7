import { Effect } from "effect"
import { Dialect, type Row } from "../../dialect/Dialect.ts"
import { must } from "../../dialect/Violation.ts"
import type { Answer, Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a, b, needsTwoRepositories, otherRepositories, unlinkedRepositories } from "../steps/accounts.ts"
import { idOf, mustHaveUrl, queryOf, readById, readLatest, readRow, settledRow, visible } from "../steps/builds.ts"
import { eventually, settled } from "../steps/eventually.ts"
import { branch, bundleSizeBytes, commitSha, identityOf, unusual } from "../steps/inputs.ts"
import { alikeNames } from "./identity.ts"
import { existingBuild, readyBuild, reserveBuild, suppliedBuild } from "../steps/makeBuilds.ts"

const bytes = bundleSizeBytes

/** The latest build of a branch must show something. */
const shows = (id: string, title: string, expected: string, holds: (row: Row) => boolean): CheckTable => ({
  [id]: {
    title,
    cost: { requests: 4, bytes },
    supplied: suppliedBuild,
    *run() {
      const { query } = yield* existingBuild("build")
      yield* readRow(readLatest(query), expected, holds)
    }
  }
})

/** A build for iOS and, after it, one for Android of the same branch and commit. */
const both = Effect.gen(function* () {
  const ios = yield* readyBuild("ios")
  const android = yield* readyBuild("android", { fields: { ...identityOf(ios.input), platform: "android" } })
  return { ios, android }
})

/** The names and types in a JSON value, as text. */
const shapeOf = (json: Json | undefined): string => {
  if (typeof json !== "object" || json === null) return json === null ? "null" : typeof json
  if (Array.isArray(json)) return `[${json.map((item: Json) => shapeOf(item)).join()}]`
  const members = Object.entries(json).map(([name, value]) => `${name}: ${shapeOf(value)}`)
  return `{${members.toSorted().join(", ")}}`
}

const mustBeNotFound = Effect.fnUntraced(function* (answer: Answer) {
  const { codes } = yield* Dialect
  const expected = "A read of a repository that is not linked to the account returns 404 and the code not_found."
  const isCode = codes(answer).includes("not_found")
  const came = `It returned ${answer.status} ${isCode ? "with" : "without"} the code not_found.`
  yield* must(answer.status === 404 && isCode, expected, came)
})

/** Requires 404 not_found without any data of the build. */
const mustRevealNothing = Effect.fnUntraced(function* (answer: Answer, { previewUrl, url }: Row) {
  yield* mustBeNotFound(answer)
  const revealed = [url, previewUrl]
    .flatMap((one) => one?.split("?")[0] ?? [])
    .filter((one) => answer.text.includes(one))
  yield* must(
    revealed.length === 0,
    "The refusal names nothing of what it refuses.",
    `It named ${revealed.join(", ")}.`
  )
})

/** A ready build of each account, and the other account; only that of account a if the config supplies it. */
const foreignBuilds = Effect.gen(function* () {
  yield* needsTwoRepositories
  const { isSupplied, ...own } = yield* existingBuild("build")
  if (isSupplied) return [{ ...own, as: a, other: b }]
  const { input, row } = yield* readyBuild("foreign", { account: "b" })
  return [
    { ...own, as: a, other: b },
    { query: queryOf(input), id: idOf(row), as: b, other: a }
  ]
})

/** The reads of a build, and the accounts that may read it. */
export const readChecks: CheckTable = {
  "builds.latest.url": {
    title: "The latest build of a branch has the url that finalize returned.",
    cost: { requests: 4, bytes },
    *run() {
      const session = yield* Session
      const ready = yield* readyBuild("build")
      const expected = `The latest build of its branch has the url ${ready.url ?? ""}.`
      const row = yield* readRow(readLatest(queryOf(ready.input)), expected, ({ url }) => url === ready.url)
      yield* session.observe("builds.latest.status", row.answer.status)
    }
  },
  ...shows(
    "builds.latest.preview-url",
    "The latest build of a branch has a previewUrl once it is ready.",
    "The latest build of a branch, being ready, has a previewUrl.",
    (row) => row.previewUrl !== undefined
  ),
  ...shows(
    "builds.latest.status-fields",
    "The latest build of a branch has a status.",
    "The latest build has status fields, one of them where `answers.buildStatus` of the config says.",
    (row) => row.status !== undefined
  ),
  "builds.latest.no-early-preview-url": {
    title: "A build that was only reserved is shown without a previewUrl, if it is shown.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      const { input, reserved } = yield* reserveBuild("build")
      const early = yield* settled(visible(readLatest(queryOf(input))))
      const isEarly = early.found && early.url === reserved.url && early.hasPreviewUrl
      yield* must(
        !isEarly,
        "The previewUrl is there once the replay bundle is ready.",
        "It was there before the upload."
      )
    }
  },
  "builds.latest.newest": {
    title: "The latest build of a branch is the one that was uploaded last.",
    cost: { requests: 7, bytes: 2 * bytes },
    *run() {
      const first = yield* readyBuild("first")
      const fields = { ...identityOf(first.input), commitSha: yield* commitSha("second") }
      const second = yield* readyBuild("second", { fields })
      const expected = `The latest build of a branch is the second of two, ${second.url ?? ""}.`
      yield* readRow(readLatest(queryOf(first.input)), expected, ({ url }) => url === second.url)
    }
  },
  "builds.latest.of-its-branch": {
    title: "The latest build of a branch isn't one of a branch whose name is like that branch's name.",
    cost: { requests: 28, bytes: 7 * bytes },
    *run() {
      const name = yield* branch("build")
      const names = [
        name,
        `${name}/more-of-a-long-name`,
        `${name}_a`,
        `${name}%`,
        `${name}-a`,
        ...alikeNames(name).slice(2, 4)
      ]
      const all = yield* Effect.forEach(names, (branch) => readyBuild(branch, { fields: { branch } }))
      for (const { input, url } of all) {
        const latest = yield* settledRow(readLatest(queryOf(input)))
        const expected = `The latest build of the branch ${String(input.fields.branch)} is its own: ${url ?? ""}.`
        yield* mustHaveUrl(latest, url, expected)
      }
    }
  },
  "builds.latest.of-its-repository": {
    title: "The latest build of a branch isn't one of another repository's branch of that name.",
    cost: { requests: 12, bytes: 3 * bytes },
    *run() {
      const own = yield* readyBuild("own")
      const others = yield* Effect.forEach(yield* otherRepositories, ({ account, repository }, index) =>
        readyBuild(`other ${index}`, { account, fields: { branch: own.input.fields.branch, ...repository } })
      )
      for (const { as, input, url } of [own, ...others]) {
        const latest = yield* settledRow(readLatest(queryOf(input), as))
        const expected = `The latest build of a branch is that of the repository asked for: ${url ?? ""}.`
        yield* mustHaveUrl(latest, url, expected)
      }
    }
  },
  "builds.latest.platform": {
    title: "The latest build of a branch is that of the platform that was asked for.",
    cost: { requests: 8, bytes: 2 * bytes },
    *run() {
      const { android, ios } = yield* both
      for (const { input, url } of [ios, android]) {
        const latest = yield* settledRow(readLatest(queryOf(input)))
        yield* mustHaveUrl(latest, url, `The latest build for ${String(input.fields.platform)} is its own.`)
      }
    }
  },
  "builds.latest.default-platform": {
    title: "The latest build of a branch is that for iOS when no platform is asked for.",
    cost: { requests: 7, bytes: 2 * bytes },
    *run() {
      const { ios } = yield* both
      const latest = yield* settledRow(readLatest({ ...queryOf(ios.input), platform: undefined }))
      yield* mustHaveUrl(latest, ios.url, "Without a platform, the latest build is the one for iOS.")
    }
  },
  "builds.latest.default-is-not-android": {
    title: "A branch that has only a build for Android doesn't return it when no platform is asked for.",
    cost: { requests: 4, bytes },
    *run() {
      const session = yield* Session
      const { input, url } = yield* readyBuild("android", { fields: { platform: "android" } })
      const read = readLatest({ ...queryOf(input), platform: undefined }).pipe(
        Effect.tap(({ status }) => session.observe("builds.latest.of-other-platform-only.status", status))
      )
      const latest = yield* eventually(visible(read), (one) => one.url === url)
      yield* must(latest.url !== url, "Without a platform, a build for Android isn't returned.", "It was returned.")
    }
  },
  "builds.read.url": {
    title: "A build that is read by its id has the url that finalize returned.",
    cost: { requests: 4, bytes },
    *run() {
      const session = yield* Session
      const ready = yield* readyBuild("build")
      const row = yield* settledRow(readById(yield* idOf(ready.row)))
      yield* session.observe("builds.read.status", row.answer.status)
      yield* mustHaveUrl(row, ready.url, `The build that is read by its id has the url ${ready.url ?? ""}.`)
    }
  },
  "builds.read.each": {
    title: "Two builds of a branch are read by their ids as two, each with a url and a previewUrl of its own.",
    cost: { requests: 8, bytes: 2 * bytes },
    *run() {
      const first = yield* readyBuild("first")
      const fields = { ...identityOf(first.input), commitSha: yield* commitSha("second") }
      const second = yield* readyBuild("second", { fields })
      const one = yield* settledRow(readById(yield* idOf(first.row)))
      const other = yield* settledRow(readById(yield* idOf(second.row)))
      for (const name of ["url", "previewUrl"] as const) {
        const came = `Both had ${one[name] ?? "none"}.`
        // The checks of each member report one that is missing.
        yield* must(
          one[name] === undefined || one[name] !== other[name],
          `Two builds have two values of ${name}.`,
          came
        )
      }
    }
  },
  "builds.read.same-status": {
    title: "The row that finalize returns has the status that the reads of the build have.",
    cost: { requests: 5, bytes },
    *run() {
      const { input, row } = yield* readyBuild("build")
      for (const read of [readLatest(queryOf(input)), readById(yield* idOf(row))]) {
        const { status } = yield* settledRow(read)
        // The checks of the status report one that is missing.
        if (row.status === undefined || status === undefined) continue
        const [said, expected] = [row.status, status].map((one) => JSON.stringify(one))
        yield* must(
          said === expected,
          `Finalize returns the ready row, with the status ${expected}.`,
          `It was ${said}.`
        )
      }
    }
  },
  "builds.read.same-shape": {
    title: "A build that is read by its id is returned in the same shape as the latest of its branch.",
    cost: { requests: 5, bytes },
    supplied: suppliedBuild,
    *run() {
      const { id, query } = yield* existingBuild("build")
      const latest = yield* settledRow(readLatest(query))
      const byId = yield* settledRow(readById(yield* id))
      const [expected, came] = [shapeOf(latest.answer.json), shapeOf(byId.answer.json)]
      yield* must(came === expected, `It has the shape of the latest of its branch, ${expected}.`, came)
    }
  },
  "builds.latest.unlinked": {
    title: "The latest build of a branch of a repository that is not linked is 404 not_found.",
    cost: { requests: 4, bytes: 0 },
    readOnly: true,
    *run() {
      for (const repository of yield* unlinkedRepositories) {
        for (const platform of ["ios", "android"]) {
          const { branch } = (yield* unusual("build")).fields
          yield* mustBeNotFound(yield* readLatest({ ...repository, branch, platform }))
        }
      }
    }
  },
  "builds.latest.foreign": {
    title: "The latest build of a branch of another account's repository is 404 not_found.",
    cost: { requests: 10, bytes: 2 * bytes },
    supplied: suppliedBuild,
    *run() {
      for (const { as, other, query } of yield* foreignBuilds) {
        const row = yield* settledRow(readLatest(query, as))
        yield* mustRevealNothing(yield* readLatest(query, other), row)
      }
    }
  },
  "builds.read.foreign": {
    title: "Another account's build by its id is 404 not_found.",
    cost: { requests: 10, bytes: 2 * bytes },
    supplied: suppliedBuild,
    *run() {
      for (const { as, id, other } of yield* foreignBuilds) {
        const row = yield* settledRow(readById(yield* id, as))
        yield* mustRevealNothing(yield* readById(yield* id, other), row)
      }
    }
  }
}
