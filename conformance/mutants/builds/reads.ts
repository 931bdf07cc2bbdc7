import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { accountOf, by, keyOf, querying, type Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import {
  answer,
  answeringDone,
  answeringNotFound,
  asking,
  at,
  continuing,
  isDone,
  refusing,
  withBody,
  changingFields,
  without
} from "../parts/fronts.ts"
import { forEither, isUnlinked } from "../parts/isolation.ts"
import { followedBy, members } from "../parts/json.ts"

const latest = at("builds.latest")

const text = (json: Json | undefined): string => (typeof json === "string" ? json : "")

/**
 * Answers as the latest of a branch the ready build that `choose` selects, in the order in which they were ready, where
 * there is one to be answered.
 */
const choosing =
  (choose: (ready: ReadonlyArray<Fields>, query: Fields) => Fields | undefined): Front =>
  (ask, target) => {
    const ready: Array<Fields> = []
    return (call) =>
      Effect.map(ask(call), (answer) => {
        if (!isDone(answer)) return answer
        if (call.endpoint === "builds.finalize") ready.push(members(answer.json))
        const chosen = latest(call, target) ? choose(ready, call.query) : undefined
        return chosen === undefined ? answer : withBody(answer, chosen)
      })
  }

const isOfRepository = (build: Fields, query: Fields): boolean =>
  build.owner === query.owner && build.repo === query.repo
const isOfBranch = (build: Fields, query: Fields): boolean => build.branch === query.branch
const isForPlatform = (build: Fields, { platform = "ios" }: Fields): boolean => build.platform === platform

const withoutPlatform = at("builds.latest", ({ query }) => query.platform === undefined)

/** Asks for Android where there is nothing for iOS. */
const orAndroid: Front = continuing(withoutPlatform, (answer, call, ask) =>
  isDone(answer) ? Effect.succeed(answer) : ask(querying(call, { platform: "android" }))
)

/** What is read as the latest build of a branch. */
export const latestMutants: MutantTable = {
  "builds.latest.other-url": [
    "The latest build of a branch has the url of the branch instead of the build's own.",
    [
      "builds.latest.url",
      "builds.latest.newest",
      "builds.latest.of-its-branch",
      "builds.latest.of-its-repository",
      "builds.latest.platform",
      "builds.latest.default-platform"
    ],
    changingFields(latest, (fields) => ({ ...fields, url: followedBy("/latest")(fields.url) }))
  ],
  "builds.rows.no-preview-url": [
    "No read of a build answers a previewUrl.",
    "builds.latest.preview-url",
    without(at(["builds.latest", "builds.read"]), "previewUrl")
  ],
  "builds.latest.no-preview-url": [
    "The latest build of a branch has no previewUrl, although the read by its id has one.",
    ["builds.latest.preview-url", "builds.read.same-shape"],
    without(latest, "previewUrl")
  ],
  "builds.rows.no-status": [
    "No read of a build answers a status.",
    "builds.latest.status-fields",
    without(at(["builds.latest", "builds.read"]), "status")
  ],
  "builds.latest.no-status": [
    "The latest build of a branch has no status, although the read by its id has one.",
    ["builds.latest.status-fields", "builds.read.same-shape"],
    without(latest, "status")
  ],
  "builds.latest.first": [
    "The latest build of a branch is the one that was ready first.",
    "builds.latest.newest",
    choosing((ready, query) =>
      ready.find((build) => isOfRepository(build, query) && isOfBranch(build, query) && isForPlatform(build, query))
    )
  ],
  "builds.latest.branch-by-prefix": [
    "The latest build of a branch may be that of a branch whose name begins with its name.",
    "builds.latest.of-its-branch",
    choosing((ready, query) =>
      ready.findLast(
        (build) =>
          isOfRepository(build, query) &&
          text(build.branch).startsWith(text(query.branch)) &&
          isForPlatform(build, query)
      )
    )
  ],
  "builds.latest.repository-ignored": [
    "The latest build of a branch may be that of another repository's branch of the same name.",
    "builds.latest.of-its-repository",
    choosing((ready, query) => ready.findLast((build) => isOfBranch(build, query) && isForPlatform(build, query)))
  ],
  "builds.latest.platform-ignored": [
    "The latest build of a branch is always the one for iOS.",
    "builds.latest.platform",
    asking(latest, (call) => querying(call, { platform: undefined }))
  ],
  "builds.latest.any-platform": [
    "The latest build of a branch is the newest of all platforms.",
    ["builds.latest.platform", "builds.latest.default-platform"],
    choosing((ready, query) => ready.findLast((build) => isOfRepository(build, query) && isOfBranch(build, query)))
  ],
  "builds.latest.platform-required": [
    "The read of the latest build of a branch is refused without a platform.",
    "builds.latest.default-platform",
    refusing(withoutPlatform)
  ],
  "builds.latest.default-android": [
    "The platform of the latest build defaults to Android.",
    ["builds.latest.default-platform", "builds.latest.default-is-not-android"],
    asking(withoutPlatform, (call) => querying(call, { platform: "android" }))
  ],
  "builds.latest.android-if-no-ios": [
    "Without a platform the latest build is the one for Android when there is none for iOS.",
    "builds.latest.default-is-not-android",
    orAndroid
  ]
}

const read = at("builds.read")

/** What is answered of a build by its id. */
export const byIdMutants: MutantTable = {
  "builds.read.other-url": [
    "A build that is read by its id has another url.",
    "builds.read.url",
    changingFields(read, (fields) => ({ ...fields, url: followedBy("/by-id")(fields.url) }))
  ],
  "builds.read.enveloped": [
    "A build that is read by its id is in an envelope, and the latest of a branch isn't.",
    "builds.read.same-shape",
    answeringDone(read, (answer) => withBody(answer, { build: answer.json }))
  ],
  "builds.read.no-status": [
    "A build that is read by its id has no status, although the latest of a branch has one.",
    "builds.read.same-shape",
    without(read, "status")
  ]
}

const branchOf = ({ branch, owner, platform = "ios", repo }: Fields): string =>
  JSON.stringify([owner, repo, branch, platform])

/** Shows the latest reservation of a branch that has no ready build, with a previewUrl. */
const early: Front = (ask) => {
  const reserved = new Map<string, Fields>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      if (call.endpoint === "builds.reserve" && isDone(answered)) {
        const { id, url } = members(answered.json)
        reserved.set(branchOf(call.fields), { id, status: "uploading", url, previewUrl: followedBy("/replay")(url) })
      }
      if (call.endpoint !== "builds.latest") return answered
      if (members(answered.json).status === "ready") return answered
      const shown = accountOf(call) === "a" && keyOf(call) === "all" ? reserved.get(branchOf(call.query)) : undefined
      return shown === undefined ? answered : answer(200, { ...members(answered.json), ...shown })
    })
}

/** What a build shows too early. */
export const earlyMutants: MutantTable = {
  "builds.latest.early-preview-url": [
    "The latest build of a branch has a previewUrl before anything was uploaded.",
    "builds.latest.no-early-preview-url",
    early
  ]
}

/** Requests for the latest build of a repository that is linked to no account. */
const ofTheUnlinked = at("builds.latest", ({ query }, target) => isUnlinked(query.owner, query.repo, target))

/** Requests of account b, for what belongs to account a. */
const toTheOther = (endpoint: "builds.latest" | "builds.read") => at(endpoint, (call) => accountOf(call) === "b")

const forbidden = answer(403, { code: "forbidden" })
const withoutCode = answer(404, { message: "There is no such build." })

/** How a read of a repository that isn't linked to the account is answered. */
export const notLinkedMutants: MutantTable = {
  "builds.latest.unlinked-empty": [
    "The latest build of a repository that is linked to no account is answered 200 with an empty object.",
    "builds.latest.unlinked",
    answeringNotFound(ofTheUnlinked, answer(200, {}))
  ],
  "builds.latest.unlinked-without-code": [
    "The latest build of a repository that is linked to no account is 404 without the code not_found.",
    "builds.latest.unlinked",
    answeringNotFound(ofTheUnlinked, withoutCode)
  ],
  "builds.latest.foreign-shown": [
    "The latest build of another account's branch is shown.",
    "builds.latest.foreign",
    forEither(at("builds.latest"))
  ],
  "builds.latest.foreign-forbidden": [
    "The latest build of another account's branch is 403.",
    "builds.latest.foreign",
    answeringNotFound(toTheOther("builds.latest"), forbidden)
  ],
  "builds.read.foreign-shown": [
    "Another account's build is shown by its id.",
    "builds.read.foreign",
    forEither(at("builds.read"))
  ],
  "builds.read.foreign-forbidden": [
    "Another account's build by its id is 403.",
    "builds.read.foreign",
    answeringNotFound(toTheOther("builds.read"), forbidden)
  ],
  "builds.read.foreign-code-in-message": [
    "Another account's build by its id is 404 with another code, and not_found as its message.",
    "builds.read.foreign",
    answeringNotFound(toTheOther("builds.read"), answer(404, { code: "missing", message: "not_found" }))
  ],
  "builds.read.foreign-url": [
    "The refusal of another account's build shows its url.",
    "builds.read.foreign",
    continuing(toTheOther("builds.read"), (refusal, call, ask) =>
      Effect.map(ask(by(call, "a")), ({ json }) =>
        refusal.status === 404
          ? answer(404, { code: "not_found", detail: `You may not open ${String(members(json).url)}.` })
          : refusal
      )
    )
  ],
  "builds.read.foreign-without-code": [
    "Another account's build by its id is 404 without the code not_found.",
    "builds.read.foreign",
    answeringNotFound(toTheOther("builds.read"), withoutCode)
  ]
}
