import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import type { Call, Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { at, changingFields, isDone, like, present, sayingInstead, withBody } from "../parts/fronts.ts"
import { followedBy, members } from "../parts/json.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"

/** Changes the answer about a build that was reserved or ready before, when it is reserved or finalized again. */
const revealingKnown = (
  endpoint: "builds.reserve" | "builds.finalize",
  known: "reserved" | "ready",
  change: (fields: Fields) => Fields,
  status?: number
): Front => {
  return (ask) => {
    const states = new Map<Json | undefined, "reserved" | "ready">()
    return (call) =>
      Effect.map(ask(call), (answer) => {
        if ((call.endpoint !== "builds.reserve" && call.endpoint !== "builds.finalize") || !isDone(answer))
          return answer
        const fields = members(answer.json)
        const before = states.get(fields.id)
        states.set(fields.id, before === "ready" || call.endpoint === "builds.finalize" ? "ready" : "reserved")
        const other = status === undefined ? answer : { ...answer, status }
        return call.endpoint === endpoint && before === known ? withBody(other, change(fields)) : answer
      })
  }
}

const otherUrl = (fields: Fields): Fields => ({ ...fields, url: followedBy("/2")(fields.url) })
const otherId = (fields: Fields): Fields => ({ ...fields, id: followedBy("-2")(fields.id) })

const parts = ["owner", "repo", "branch", "platform", "commitSha"] as const

/** The identity of a build as text, without these parts. */
const identity = (fields: Fields, left: ReadonlyArray<(typeof parts)[number]>): string =>
  JSON.stringify(parts.filter((part) => !left.includes(part)).map((part) => fields[part]))

const isOfBuilds = at(["builds.reserve", "builds.finalize", "builds.latest", "builds.read"])

/** Answers every build with the id and url of the first build that is the same to it. */
const goingByTheFirst =
  (sameness: (fields: Fields) => string): Front =>
  (ask, target) => {
    const first = new Map<string, string>()
    const named = (call: Call, fields: Fields): Fields => {
      const { id } = fields
      if (typeof id !== "string") return fields
      const same = sameness(call.endpoint === "builds.reserve" ? call.fields : fields)
      const known = first.get(same) ?? id
      first.set(same, known)
      return members(JSON.parse(JSON.stringify(fields).replaceAll(id, known)))
    }
    return (call) =>
      Effect.map(ask(call), (answer) =>
        isOfBuilds(call, target) && isDone(answer) ? withBody(answer, named(call, members(answer.json))) : answer
      )
  }

/** The parts of an identity that a host may ignore, by their names in the ids of checks, and the checks that report it. */
const ignorable = {
  branch: [["branch"], ["identity.other-branch", "identity.branch-in-full"]],
  platform: [["platform"], "identity.other-platform"],
  // A digit of the commit is a part of it.
  commit: [["commitSha"], ["identity.other-commit", "identity.commit-in-full", "read.each"]],
  repository: [["owner", "repo"], "identity.other-repository"]
} as const

/** The checks that two uploads of one bundle are two builds. */
const differences = [
  "identity.other-branch",
  "identity.other-platform",
  "identity.other-commit",
  "identity.commit-in-full",
  "identity.other-repository"
] as const

/** Names of branches that a host may take for one: how they are alike, and what is compared of them. */
const folded: Readonly<Record<string, readonly [what: string, fold: (name: string) => string]>> = {
  cut: ["share forty characters", (name) => name.slice(0, 40)],
  "case-folded": ["differ in case alone", (name) => name.toLowerCase()],
  normalized: ["are written in other code points alone", (name) => name.normalize("NFC")]
}

/** Answers with the digest that a build had when it was first seen. */
const firstDigest: Front = (ask, ...host) => {
  const first = new Map<Json | undefined, Json | undefined>()
  const showing = changingFields(at(["builds.finalize", "builds.latest", "builds.read"]), (fields) => {
    if (!first.has(fields.id)) first.set(fields.id, fields.contentHash)
    return { ...fields, contentHash: first.get(fields.id) }
  })
  return showing(ask, ...host)
}

/** Makes another build of a request that arrives while one about the same build is under way. */
const losingRaces =
  (endpoint: "builds.reserve" | "builds.finalize"): Front =>
  (ask) => {
    const underWay: Array<string> = []
    return (call) => {
      if (call.endpoint !== endpoint) return ask(call)
      const key = identity(call.reservation?.call.fields ?? call.fields, [])
      const isLate = underWay.includes(key)
      underWay.push(key)
      return ask(call).pipe(
        Effect.map((answer) =>
          isLate && isDone(answer) ? withBody(answer, otherUrl(otherId(members(answer.json)))) : answer
        ),
        Effect.ensuring(Effect.sync(() => underWay.splice(underWay.indexOf(key), 1)))
      )
    }
  }

/** Which uploads are the same build, and which are another. */
export const identityMutants: MutantTable = {
  "identity.new-id": [
    "Another upload of a ready build gives it another id.",
    ["identity.updated", "identity.finalized-at-once"],
    revealingKnown("builds.finalize", "ready", otherId)
  ],
  "identity.new-url": [
    "Another upload of a ready build gives it another url.",
    ["identity.updated", "identity.finalized-at-once"],
    revealingKnown("builds.finalize", "ready", otherUrl)
  ],
  "identity.other-url-when-ready": [
    "A reservation for a ready build answers another url than it has.",
    "identity.reserved-again",
    revealingKnown("builds.reserve", "ready", otherUrl)
  ],
  "identity.other-url-while-uploading": [
    "A second reservation of a build that isn't ready answers another url than the first.",
    ["identity.while-uploading", "identity.reserved-at-once"],
    revealingKnown("builds.reserve", "reserved", otherUrl)
  ],
  ...eachOf(ignorable, ([left, caughtBy], what) => [
    `identity.without-${what}`,
    `The id and the url of a build don't depend on its ${what}.`,
    caughtBy,
    goingByTheFirst((fields) => identity(fields, left))
  ]),
  "identity.old-digest": [
    "A build that was uploaded again shows the digest of its first upload.",
    "identity.new-digest",
    firstDigest
  ],
  "identity.update-answers-200": [
    "Finalize of another upload of a ready build answers 200.",
    "identity.updated",
    revealingKnown("builds.finalize", "ready", (fields) => fields, 200)
  ],
  "identity.by-content": [
    "Builds of one bundle are one build.",
    [...differences, "identity.branch-in-full"],
    goingByTheFirst(({ contentHash }) => JSON.stringify(contentHash))
  ],
  ...eachOf(folded, ([what, fold], id) => [
    `identity.branch-${id}`,
    `Builds of branches whose names ${what} are one build.`,
    "identity.branch-in-full",
    goingByTheFirst((fields) => identity({ ...fields, branch: fold(String(fields.branch)) }, []))
  ]),
  "identity.race-of-reservations": [
    "Two reservations of one build that arrive at the same time are two builds.",
    "identity.reserved-at-once",
    losingRaces("builds.reserve")
  ],
  "identity.race-of-finalizes": [
    "Two finalizes of one build that arrive at the same time are two builds.",
    "identity.finalized-at-once",
    losingRaces("builds.finalize")
  ],
  "identity.short-commits": [
    "Two commits that share seven digits are one build.",
    "identity.commit-in-full",
    goingByTheFirst((fields) => identity({ ...fields, commitSha: String(fields.commitSha).slice(0, 7) }, []))
  ],
  "identity.commits-alike": [
    "An upload of another commit updates the build of the branch and platform.",
    ["identity.other-commit", "identity.commit-in-full", "read.each"],
    sayingInstead(like("builds.reserve", { commitSha: present }), { commitSha: "0".repeat(40) })
  ]
}
