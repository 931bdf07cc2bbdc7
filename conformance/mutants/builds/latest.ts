import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { querying } from "../parts/Call.ts"
import type { Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { asking, at, goingOn, isDone, refusing, telling, tellingElse, without } from "../parts/fronts.ts"
import { followedBy, members } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const latest = at("builds.latest")

const text = (json: Json | undefined): string => (typeof json === "string" ? json : "")

/**
 * Answers as the latest of a branch whichever of all ready builds `choose` takes, in the order in which they were ready,
 * where there is one to be answered.
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
        return chosen === undefined ? answer : telling(answer, chosen)
      })
  }

const isOfRepository = (build: Fields, query: Fields): boolean =>
  build.owner === query.owner && build.repo === query.repo
const isOfBranch = (build: Fields, query: Fields): boolean => build.branch === query.branch
const isForPlatform = (build: Fields, { platform = "ios" }: Fields): boolean => build.platform === platform

const withoutPlatform = at("builds.latest", ({ query }) => query.platform === undefined)

/** Asks for Android where there is nothing for iOS. */
const orAndroid: Front = goingOn(withoutPlatform, (answer, call, ask) =>
  answer.status === 404 ? ask(querying(call, { platform: "android" })) : Effect.succeed(answer)
)

/** What is read as the latest build of a branch. */
export const latestMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.latest.other-url",
    fault: "The latest build of a branch has a url of the branch, not that of the build.",
    caughtBy: [
      "builds.latest.url",
      "builds.latest.newest",
      "builds.latest.of-its-branch",
      "builds.latest.of-its-repository",
      "builds.latest.platform",
      "builds.latest.default-platform"
    ],
    front: tellingElse(latest, (fields) => ({ ...fields, url: followedBy("/latest")(fields.url) }))
  },
  {
    id: "builds.rows.no-preview-url",
    fault: "No read of a build answers a previewUrl.",
    caughtBy: ["builds.latest.preview-url"],
    front: without(at(["builds.latest", "builds.read"]), "previewUrl")
  },
  {
    id: "builds.latest.no-preview-url",
    fault: "The latest build of a branch has no previewUrl, read by its id it has one.",
    caughtBy: ["builds.latest.preview-url", "builds.read.same-shape"],
    front: without(latest, "previewUrl")
  },
  {
    id: "builds.rows.no-status",
    fault: "No read of a build answers a status.",
    caughtBy: ["builds.latest.status-fields"],
    front: without(at(["builds.latest", "builds.read"]), "status")
  },
  {
    id: "builds.latest.no-status",
    fault: "The latest build of a branch has no status, read by its id it has one.",
    caughtBy: ["builds.latest.status-fields", "builds.read.same-shape"],
    front: without(latest, "status")
  },
  {
    id: "builds.latest.first",
    fault: "The latest build of a branch is the one that was ready first.",
    caughtBy: ["builds.latest.newest"],
    front: choosing((ready, query) =>
      ready.find((build) => isOfRepository(build, query) && isOfBranch(build, query) && isForPlatform(build, query))
    )
  },
  {
    id: "builds.latest.branch-by-prefix",
    fault: "The latest build of a branch may be one of a branch whose name begins like it.",
    caughtBy: ["builds.latest.of-its-branch"],
    front: choosing((ready, query) =>
      ready.findLast(
        (build) =>
          isOfRepository(build, query) &&
          text(build.branch).startsWith(text(query.branch)) &&
          isForPlatform(build, query)
      )
    )
  },
  {
    id: "builds.latest.repository-ignored",
    fault: "The latest build of a branch may be one of another repository's branch of that name.",
    caughtBy: ["builds.latest.of-its-repository"],
    front: choosing((ready, query) =>
      ready.findLast((build) => isOfBranch(build, query) && isForPlatform(build, query))
    )
  },
  {
    id: "builds.latest.platform-ignored",
    fault: "The latest build of a branch is that for iOS, whichever platform is asked for.",
    caughtBy: ["builds.latest.platform"],
    front: asking(latest, (call) => querying(call, { platform: undefined }))
  },
  {
    id: "builds.latest.any-platform",
    fault: "The latest build of a branch is the newest for any platform, whichever is asked for.",
    caughtBy: ["builds.latest.platform", "builds.latest.default-platform"],
    front: choosing((ready, query) =>
      ready.findLast((build) => isOfRepository(build, query) && isOfBranch(build, query))
    )
  },
  {
    id: "builds.latest.platform-required",
    fault: "The read of the latest build of a branch is refused without a platform.",
    caughtBy: ["builds.latest.default-platform"],
    front: refusing(withoutPlatform)
  },
  {
    id: "builds.latest.default-android",
    fault: "The platform of the latest build defaults to Android.",
    caughtBy: ["builds.latest.default-platform", "builds.latest.default-is-not-android"],
    front: asking(withoutPlatform, (call) => querying(call, { platform: "android" }))
  },
  {
    id: "builds.latest.android-if-no-ios",
    fault: "Without a platform the latest build is that for Android, where there is none for iOS.",
    caughtBy: ["builds.latest.default-is-not-android"],
    front: orAndroid
  }
]
