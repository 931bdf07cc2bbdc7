import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { accountOf, keyOf, querying, reading, type Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"
import {
  answer,
  answeringDone,
  answeringNotFound,
  at,
  changingFields,
  continuing,
  isDone,
  lacking,
  like,
  queryingInstead,
  refusing,
  withBody,
  without
} from "../parts/fronts.ts"
import { foreignUrl, isBelowOwner, isUnlinked } from "../parts/isolation.ts"
import { fitsPattern, followedBy, members } from "../parts/json.ts"

const latest = at("builds.latest")
const read = at("builds.read")

const text = (json: Json | undefined): string => (typeof json === "string" ? json : "")

/** What the latest build of a branch is chosen by: all of it holds of the right one. */
const criteria = {
  repository: (build: Fields, query: Fields): boolean => build.owner === query.owner && build.repo === query.repo,
  branch: (build: Fields, query: Fields): boolean => build.branch === query.branch,
  platform: (build: Fields, { platform = "ios" }: Fields): boolean => build.platform === platform
}

/** Answers as the latest of a branch the ready build that `choose` selects of those for which the other criteria hold. */
const choosing =
  (
    changed: Partial<typeof criteria>,
    choose: (ready: ReadonlyArray<Fields>) => Fields | undefined = (ready) => ready.at(-1)
  ): Front =>
  (ask) => {
    const ready: Array<Fields> = []
    const wanted = Object.values({ ...criteria, ...changed })
    return (call) =>
      Effect.map(ask(call), (answer) => {
        if (!isDone(answer)) return answer
        if (call.endpoint === "builds.finalize") ready.push(members(answer.json))
        if (call.endpoint !== "builds.latest") return answer
        const chosen = choose(ready.filter((build) => wanted.every((holds) => holds(build, call.query))))
        return chosen === undefined ? answer : withBody(answer, chosen)
      })
  }

const anything = () => true
const withoutPlatform = like("builds.latest", { platform: undefined })

/** Asks for Android where there is nothing for iOS. */
const orAndroid: Front = continuing(withoutPlatform, (answer, call, ask) =>
  isDone(answer) ? Effect.succeed(answer) : ask(querying(call, { platform: "android" }))
)

/** What is read as the latest build of a branch. */
export const latestMutants: MutantTable = {
  "latest.other-url": [
    "The latest build of a branch has the url of the branch instead of the build's own.",
    [
      "latest.url",
      "latest.newest",
      "latest.of-its-branch",
      "latest.of-its-repository",
      "latest.platform",
      "latest.default-platform"
    ],
    changingFields(latest, (fields) => ({ ...fields, url: followedBy("/latest")(fields.url) }))
  ],
  ...lacking("latest", "The latest build of a branch, and not the same build by its id,", latest, {
    previewUrl: "latest.preview-url",
    status: "latest.status-fields"
  }),
  "latest.first": [
    "The latest build of a branch is the one that was ready first.",
    "latest.newest",
    choosing({}, ([first]) => first)
  ],
  "latest.branch-by-prefix": [
    "The latest build of a branch may be that of a branch whose name begins with its name.",
    "latest.of-its-branch",
    choosing({ branch: (build, query) => text(build.branch).startsWith(text(query.branch)) })
  ],
  "latest.branch-by-pattern": [
    "The latest build of a branch may be that of one that fits its name as a pattern of SQL.",
    "latest.of-its-branch",
    choosing({ branch: (build, query) => fitsPattern(text(build.branch), text(query.branch)) })
  ],
  "latest.branch-normalized": [
    "The latest build of a branch may be that of one whose name is written in other code points.",
    "latest.of-its-branch",
    choosing({ branch: (build, query) => text(build.branch).normalize() === text(query.branch).normalize() })
  ],
  "latest.repository-by-owner": [
    "The latest build of a branch may be that of another repository of the same owner.",
    "latest.of-its-repository",
    choosing({ repository: (build, query) => build.owner === query.owner })
  ],
  "latest.repository-ignored": [
    "The latest build of a branch may be that of another repository's branch of the same name.",
    "latest.of-its-repository",
    choosing({ repository: anything })
  ],
  "latest.any-platform": [
    "The latest build of a branch is the newest of all platforms.",
    ["latest.platform", "latest.default-platform"],
    choosing({ platform: anything })
  ],
  "latest.platform-ignored": [
    "The latest build of a branch is always the one for iOS.",
    ["latest.platform", "put.after-finalize", "scope.suffices"],
    queryingInstead(latest, { platform: undefined })
  ],
  "latest.platform-required": [
    "The read of the latest build of a branch is refused without a platform.",
    "latest.default-platform",
    refusing(withoutPlatform)
  ],
  "latest.default-android": [
    "The platform of the latest build defaults to Android.",
    ["latest.default-platform", "latest.default-is-not-android"],
    queryingInstead(withoutPlatform, { platform: "android" })
  ],
  "latest.android-if-no-ios": [
    "Without a platform the latest build is the one for Android when there is none for iOS.",
    "latest.default-is-not-android",
    orAndroid
  ]
}

const branchOf = ({ branch, owner, platform = "ios", repo }: Fields): string =>
  JSON.stringify([owner, repo, branch, platform])

/** Shows the latest reservation of a branch that has no ready build, with a previewUrl. */
const early: Front = (ask) => {
  const reserved = new Map<string, Fields>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      if (call.endpoint === "builds.reserve" && accountOf(call) === "a" && isDone(answered)) {
        const { id, url } = members(answered.json)
        reserved.set(branchOf(call.fields), { id, status: "uploading", url, previewUrl: followedBy("/replay")(url) })
      }
      if (call.endpoint !== "builds.latest") return answered
      if (members(answered.json).status === "ready") return answered
      const shown = accountOf(call) === "a" && keyOf(call) === "all" ? reserved.get(branchOf(call.query)) : undefined
      return shown === undefined ? answered : answer(200, { ...members(answered.json), ...shown })
    })
}

/** What is answered of a build too early, and by its id. */
export const byIdMutants: MutantTable = {
  "latest.early-preview-url": [
    "The latest build of a branch has a previewUrl before anything was uploaded.",
    "latest.no-early-preview-url",
    early
  ],
  "read.other-url": [
    "A build that is read by its id has another url.",
    "read.url",
    changingFields(read, (fields) => ({ ...fields, url: followedBy("/by-id")(fields.url) }))
  ],
  "read.latest-of-branch": [
    "A build that is read by its id is the latest of its branch.",
    "read.each",
    continuing(read, (answer, call, ask) => {
      const { branch, owner, platform, repo } = members(answer.json)
      const query = new URLSearchParams({
        owner: text(owner),
        repo: text(repo),
        branch: text(branch),
        platform: text(platform)
      })
      return isDone(answer) ? ask(reading(call, "builds.latest", `/builds?${query}`)) : Effect.succeed(answer)
    })
  ],
  "read.uploading": [
    "A ready build that is read by its id has another status than by its branch.",
    "read.same-status",
    changingFields(read, (fields) => ({ ...fields, status: "uploading" }))
  ],
  "read.enveloped": [
    "A build that is read by its id is in an envelope, and the latest of a branch isn't.",
    "read.same-shape",
    answeringDone(read, (answer) => withBody(answer, { build: answer.json }))
  ],
  "read.no-status": [
    "A build that is read by its id has no status, although the latest of a branch has one.",
    "read.same-shape",
    without(read, "status")
  ]
}

/** What may not be read, by the names of checks: a sentence's subject, and the requests for it. */
export const notLinked = {
  "latest.unlinked": [
    "The latest build of a repository that is linked to no account",
    at("builds.latest", ({ query }, target) => isUnlinked(query.owner, query.repo, target))
  ],
  "latest.foreign": [
    "The latest build of another account's branch",
    at("builds.latest", (call) => accountOf(call) === "b")
  ],
  "read.foreign": ["Another account's build by its id", at("builds.read", (call) => accountOf(call) === "b")]
} as const

/** How a read of a repository that isn't linked to the account is answered. */
export const notLinkedMutants: MutantTable = {
  ...eachOf(notLinked, ([subject, where], check) => [
    `${check}-code-in-message`,
    `${subject} is 404 with another code, and not_found as its message.`,
    check,
    answeringNotFound(where, answer(404, { code: "missing", message: "not_found" }))
  ]),
  "latest.unlinked-below-owner": [
    "The latest build of any repository of a linked repository's owner is answered.",
    "latest.unlinked",
    answeringNotFound(
      at("builds.latest", ({ query }, target) => isBelowOwner(query.owner, query.repo, target)),
      answer(200, {})
    )
  ],
  "read.foreign-url": [
    "The refusal of another account's build shows its url.",
    "read.foreign",
    foreignUrl("builds.read", 404, "not_found")
  ]
}
