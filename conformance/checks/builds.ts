import { Dialect, must, type Fields, type Row } from "../dialect/Dialect.ts"
import {
  a,
  b,
  buildInput,
  bundleSizeBytes,
  existingBuild,
  fileSizeBytes,
  finalizeBuild,
  fiveFiles,
  idOf,
  mustHaveUrl,
  mustNotFail,
  mustNotFailOnBodies,
  needsTwoRepositories,
  queryOf,
  readById,
  readLatest,
  readRow,
  readyBuild,
  reserveBuild,
  sendReservation,
  settled,
  settledRow,
  shapeOf,
  suppliedBuild,
  toChecks,
  unlinkedRepositories,
  unusual,
  unusualCost,
  uploadAll,
  visible,
  wrongKeyReads,
  type CheckTable
} from "./steps.ts"
import type { HttpResponse, Credential } from "../session/Exchange.ts"
import { Session } from "../session/Session.ts"
import {
  afterFinalizeChecks,
  buildFlow,
  foreignFinalizeChecks,
  previewFlow,
  tokenChecks,
  updateChecks,
  uploadChecks
} from "./uploads.ts"
import { Effect } from "effect"

/** What a reservation accepts and answers, and for which repositories. */
const reserveChecks: CheckTable = {
  "builds.reserve.url": {
    title: "The url that a reservation returns is the url of the ready build.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      // The steps require it of every build.
      yield* readyBuild("build")
    }
  },
  "builds.slots.content-type": {
    title: "A slot names the content type to send with its PUT.",
    cost: { requests: 1, bytes: 0 },
    *run() {
      // The step requires it of every reservation.
      yield* reserveBuild("build")
    }
  },
  "builds.reserve.formats": {
    title:
      "A build whose device dimensions have a fraction, and whose bundle isn't transformed, is uploaded and finalized.",
    cost: { requests: 3 + unusualCost.builds.requests, bytes: bundleSizeBytes + unusualCost.builds.bytes },
    *run() {
      const { fields, files } = yield* unusual("build")
      const deviceSpec = { width: 411.43, height: 890.29 }
      yield* readyBuild("build", { fields: { ...fields, deviceSpec }, files })
    }
  },
  "builds.files": {
    title: "Each declared file has a slot of its own, and the build is ready once all of them are uploaded.",
    cost: { requests: 8, bytes: bundleSizeBytes + 5 * fileSizeBytes },
    *run() {
      const { reserved } = yield* reserveBuild("build", { files: yield* fiveFiles("build") })
      const urls = new Set(reserved.slots.map(({ putUrl }) => putUrl))
      yield* must(urls.size === 6, "The bundle and five files have six slots.", `There were ${urls.size}.`)
      yield* uploadAll(reserved)
      yield* finalizeBuild(reserved)
    }
  }
}

const bytes = bundleSizeBytes

/** A check of one part of the row that finalize answers, which the step requires of every build. */
const ofTheRow = (id: string, title: string): CheckTable => ({
  [id]: {
    title,
    cost: { requests: 3, bytes },
    *run() {
      yield* readyBuild("build")
    }
  }
})

/** What finalize answers, which bodies and keys it accepts, and that nothing changes a finalized build. */
const finalizeChecks: CheckTable = {
  ...ofTheRow("builds.finalize.created", "Finalize returns 201."),
  ...ofTheRow("builds.finalize.preview-url", "The ready row that finalize returns has the previewUrl of the bundle."),
  ...ofTheRow("builds.finalize.status", "The ready row that finalize returns has a status."),
  ...ofTheRow("builds.finalize.absolute-urls", "The url and the previewUrl of a build are absolute."),
  ...foreignFinalizeChecks(buildFlow),
  ...tokenChecks(buildFlow, previewFlow, "previewUpload"),
  ...afterFinalizeChecks(buildFlow)
}

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

const mustBeNotFound = Effect.fnUntraced(function* (answer: HttpResponse) {
  const { codes } = yield* Dialect
  const expected = "A read of a repository that is not linked to the account returns 404 and the code not_found."
  const isCode = codes(answer).includes("not_found")
  const came = `It returned ${answer.status} ${isCode ? "with" : "without"} the code not_found.`
  yield* must(answer.status === 404 && isCode, expected, came)
})

/** Requires 404 not_found without any data of the build. */
const mustRevealNothing = Effect.fnUntraced(function* (answer: HttpResponse, { previewUrl, url }: Row) {
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
const readChecks: CheckTable = {
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

/** Which keys the endpoints of builds accept. */
const keyChecks: CheckTable = {
  ...wrongKeyReads(
    "builds",
    ["previewUpload", "testRuns", "withoutBuilds"],
    { cost: { requests: 15, bytes }, supplied: suppliedBuild },
    Effect.gen(function* () {
      const { id, query } = yield* existingBuild("build")
      const known = yield* id
      return [(as: Credential) => readLatest(query, as), (as: Credential) => readById(known, as)]
    })
  )
}

const mismatches: Readonly<Record<string, Fields>> = {
  "no-owner": { owner: undefined },
  "short-commit": { commitSha: "0123abc" },
  "unknown-platform": { platform: "toaster" },
  "negative-size": { bundleSizeBytes: -1 },
  "size-with-a-fraction": { bundleSizeBytes: 1.5 },
  "size-as-text": { bundleSizeBytes: "many" },
  "files-not-a-list": { files: "all" }
}

/** A mistake of the caller must not be answered with 5xx. */
const mistakeChecks: CheckTable = {
  "builds.mistakes.reserve": {
    title: "A reservation with an invalid field doesn't return 5xx.",
    cost: { requests: Object.keys(mismatches).length, bytes: 0 },
    *run() {
      for (const [mistake, fields] of Object.entries(mismatches)) {
        const input = yield* buildInput(mistake, { fields })
        yield* mustNotFail("builds", `reserve.${mistake}`, yield* sendReservation(input, a))
      }
    }
  },
  "builds.mistakes.body": {
    title: "A body that isn't a JSON object doesn't return 5xx.",
    cost: { requests: 2, bytes: 40 },
    *run() {
      yield* mustNotFailOnBodies("builds", "builds", "body")
    }
  },
  "builds.mistakes.finalize-incomplete": {
    title: "A finalize before the upload is complete doesn't return 5xx.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      const { reserved } = yield* reserveBuild("build")
      yield* mustNotFail("builds", "finalize.incomplete", yield* dialect.finalizeBuild(reserved.token, a))
    }
  },
  "builds.mistakes.read": {
    title: "A read of a build that doesn't exist, or for an unknown platform, doesn't return 5xx.",
    cost: { requests: 4, bytes: 0 },
    readOnly: true,
    *run() {
      const { unique } = yield* Session
      const query = queryOf(yield* buildInput("build"))
      yield* mustNotFail("builds", "latest.no-build", yield* readLatest(query))
      yield* mustNotFail("builds", "latest.no-branch", yield* readLatest({ ...query, branch: undefined }))
      yield* mustNotFail("builds", "latest.unknown-platform", yield* readLatest({ ...query, platform: "toaster" }))
      yield* mustNotFail("builds", "read.unknown-id", yield* readById(unique("id")))
    }
  }
}

/** The checks of the profile `builds`, in the order of the interface. */
export const buildChecks = toChecks(
  reserveChecks,
  uploadChecks(buildFlow),
  updateChecks,
  finalizeChecks,
  readChecks,
  keyChecks,
  mistakeChecks
)
