import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { saying, type Call, type Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { asking, at, isDone, withBody, changingFields } from "../parts/fronts.ts"
import { followedBy, members } from "../parts/json.ts"
import type { MutantTable } from "../parts/Mutant.ts"

/** Changes the answer about a build that was reserved or ready before, when it is reserved or finalized again. */
const revealingKnown = (
  endpoint: "builds.reserve" | "builds.finalize",
  known: "reserved" | "ready",
  change: (fields: Fields) => Fields
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
        return call.endpoint === endpoint && before === known ? withBody(answer, change(fields)) : answer
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

const unmindful = (what: string, others: string, ...left: ReadonlyArray<(typeof parts)[number]>): MutantTable => ({
  [`builds.identity.without-${what}`]: [
    `The id and the url of a build depend on its ${others}, and not on its ${what}.`,
    // A digit of the commit is a part of it.
    what === "commit"
      ? ["builds.identity.other-commit", "builds.identity.commit-in-full"]
      : `builds.identity.other-${what}`,
    goingByTheFirst((fields) => identity(fields, left))
  ]
})

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
  "builds.identity.new-id": [
    "Another upload of a ready build gives it another id.",
    ["builds.identity.updated", "builds.identity.finalized-at-once"],
    revealingKnown("builds.finalize", "ready", otherId)
  ],
  "builds.identity.new-url": [
    "Another upload of a ready build gives it another url.",
    ["builds.identity.updated", "builds.identity.finalized-at-once"],
    revealingKnown("builds.finalize", "ready", otherUrl)
  ],
  "builds.identity.other-url-when-ready": [
    "A reservation for a ready build answers another url than it has.",
    "builds.identity.reserved-again",
    revealingKnown("builds.reserve", "ready", otherUrl)
  ],
  "builds.identity.other-url-while-uploading": [
    "A second reservation of a build that isn't ready answers another url than the first.",
    ["builds.identity.while-uploading", "builds.identity.reserved-at-once"],
    revealingKnown("builds.reserve", "reserved", otherUrl)
  ],
  ...unmindful("branch", "repository, platform and commit", "branch"),
  ...unmindful("platform", "repository, branch and commit", "platform"),
  ...unmindful("commit", "repository, branch and platform", "commitSha"),
  ...unmindful("repository", "branch, platform and commit", "owner", "repo"),
  "builds.identity.old-digest": [
    "A build that was uploaded again shows the digest of its first upload.",
    "builds.identity.new-digest",
    firstDigest
  ],
  "builds.identity.race-of-reservations": [
    "Two reservations of one build that arrive at the same time are two builds.",
    "builds.identity.reserved-at-once",
    losingRaces("builds.reserve")
  ],
  "builds.identity.race-of-finalizes": [
    "Two finalizes of one build that arrive at the same time are two builds.",
    "builds.identity.finalized-at-once",
    losingRaces("builds.finalize")
  ],
  "builds.identity.short-commits": [
    "Two commits that share seven digits are one build.",
    "builds.identity.commit-in-full",
    goingByTheFirst((fields) => identity({ ...fields, commitSha: String(fields.commitSha).slice(0, 7) }, []))
  ],
  "builds.identity.commits-alike": [
    "An upload of another commit updates the build of the branch and platform.",
    ["builds.identity.other-commit", "builds.identity.commit-in-full"],
    asking(
      at("builds.reserve", ({ fields }) => fields.commitSha !== undefined),
      (call) => saying(call, { commitSha: "0".repeat(40) })
    )
  ]
}
