import { Effect } from "effect"
import type { Call, Reservation } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"
import { answer, asking, at, isDone, outright, type Where } from "../parts/fronts.ts"
import { otherSlotMutants } from "./otherSlots.ts"
import { firstBytesStay, lenient } from "./lenient.ts"

/** The parts of a signed URL: its path and each of its parameters. */
const partsOf = (url: string): Readonly<Record<string, string>> => {
  const { pathname, searchParams } = new URL(url)
  return { key: pathname, ...Object.fromEntries(searchParams) }
}

/** The only part in which a URL differs from one of its reservation; `undefined` when it differs in none or several. */
const alteredPart = ({ reservation, url }: Call): string | undefined => {
  const parts = Object.entries(partsOf(url))
  const altered = (reservation?.putUrls ?? []).map((given) => {
    const own = partsOf(given)
    return parts.filter(([name, value]) => own[name] !== value).map(([name]) => name)
  })
  const least = altered.toSorted((one, other) => one.length - other.length)[0]
  return least?.length === 1 ? least[0] : undefined
}

/** The parts of a presigned URL that a storage may ignore, by the names of their checks. */
const ignorable = {
  signature: ["signature", "another signature"],
  key: ["key", "the key of another object"],
  expiry: ["expires", "a later end"],
  type: ["type", "another content type"],
  length: ["length", "another length"]
} as const

const takenIf = (when: Where): Front => outright(at("put", when), answer(200, {}))

/** A presigned URL accepts something else than the PUT that it was signed for. */
const misusedMutants: MutantTable = {
  "put.readable": [
    "A URL that was signed for PUT answers GET.",
    "put.as-get",
    takenIf(({ method }) => method === "GET")
  ],
  "put.postable": [
    "A URL that was signed for PUT stores the bytes of a POST.",
    "put.as-post",
    asking(
      at("put", ({ method }) => method === "POST"),
      (call) => ({ ...call, method: "PUT" })
    )
  ],
  "put.deletable": [
    "A URL that was signed for PUT accepts DELETE.",
    "put.as-delete",
    takenIf(({ method }) => method === "DELETE")
  ],
  "put.unsigned-taken": [
    "A PUT is accepted without a signature.",
    "put.unsigned",
    takenIf(({ url }) => !url.includes("?"))
  ],
  ...eachOf(ignorable, ([part, text], id) => [
    `put.${id}-ignored`,
    `A PUT is accepted at a URL with ${text}.`,
    `put.altered-${id}`,
    takenIf((call) => alteredPart(call) === part)
  ])
}

/** A slot that has refused a PUT refuses every other. */
const closedByRefusal: Front = (ask) => {
  const shut = new Set<string>()
  return (call) => {
    if (call.endpoint !== "put" || call.method !== "PUT") return ask(call)
    if (shut.has(call.url)) return Effect.succeed(answer(403, { code: "slot_closed" }))
    return Effect.tap(ask(call), (answer) => Effect.sync(() => !isDone(answer) && shut.add(call.url)))
  }
}

type Facts = Parameters<Parameters<typeof lenient>[1]>

/** How a bundle may differ from its declaration, by the names of checks: a mutant's name, what is accepted, and whether it is that. */
const otherBundles: Readonly<
  Record<string, readonly [id: string, what: string, differs: (...facts: Facts) => boolean]>
> = {
  shorter: [
    "shorter-taken",
    "Fewer bytes than were declared are",
    (sent, { sizeBytes }) => sent.sizeBytes > 0 && sent.sizeBytes < sizeBytes
  ],
  empty: ["nothing-taken", "No bytes, though some were declared, are", (sent) => sent.sizeBytes === 0],
  longer: ["longer-taken", "More bytes than were declared are", (sent, { sizeBytes }) => sent.sizeBytes > sizeBytes],
  "other-type": [
    "other-type-taken",
    "The declared bytes with another content type are",
    (sent, { contentType }) => sent.contentType !== contentType
  ],
  "other-bytes": [
    "digest-ignored",
    "Other bytes of the declared length are",
    (sent, { sha256, sizeBytes }) => sent.sizeBytes === sizeBytes && sent.sha256 !== sha256
  ]
}

/** What comes of another upload of a build that is ready. */
const againMutants: MutantTable = {
  "put.shorter-again-taken": [
    "Fewer bytes than were declared for another upload of a ready build are accepted and finalized.",
    "put.shorter-again",
    (ask, ...host) => {
      const ready = new Set<unknown>()
      const again = new Set<unknown>()
      const taking = lenient("builds", (sent, { sizeBytes }, { id, token }) => {
        if (ready.has(id)) again.add(token)
        return again.has(token) && sent.sizeBytes < sizeBytes
      })(ask, ...host)
      return (call) =>
        Effect.tap(taking(call), (answered) =>
          Effect.sync(() => call.endpoint === "builds.finalize" && isDone(answered) && ready.add(call.reservation?.id))
        )
    }
  ]
}

/** Slots of builds or of previews that accept what they must refuse. */
export const uploadMutants = (profile: Reservation["profile"]): MutantTable => ({
  ...eachOf(otherBundles, ([id, what, differs], check) => [
    `put.${id}`,
    `${what} accepted and finalized.`,
    check === "shorter" && profile === "builds" ? ["put.shorter", "put.shorter-again"] : `put.${check}`,
    lenient(profile, differs)
  ]),
  ...(profile === "builds" ? againMutants : {}),
  "put.first-bytes-stay": [
    "A slot that accepted wrong bytes accepts the right ones, and the finalize after them is refused.",
    "put.right-after-wrong",
    firstBytesStay(profile)
  ],
  ...misusedMutants,
  "put.refused-for-good": [
    "A slot that has refused a PUT refuses every other.",
    "put.right-after-wrong",
    closedByRefusal
  ],
  ...otherSlotMutants(profile)
})
