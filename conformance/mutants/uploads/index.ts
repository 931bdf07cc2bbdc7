import { Effect } from "effect"
import type { Call, Reservation } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import { answer, asking, at, isDone, outright, type Where } from "../parts/fronts.ts"
import { otherSlotMutants } from "./otherSlots.ts"
import { lenient } from "./lenient.ts"

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

/** A presigned URL accepts something else than the PUT that it was signed for. */
export const misusedMutants = (profile: Reservation["profile"]): MutantTable => {
  const puts = (when: Where): Where =>
    at("put", (call, target) => call.reservation?.profile === profile && when(call, target))
  const takenIf = (when: Where): Front => outright(puts(when), answer(200, {}))
  const altered = (id: string, part: string, text: string): MutantTable => ({
    [`${profile}.put.${id}-ignored`]: [
      `A PUT is accepted at a URL with ${text}.`,
      `${profile}.put.altered-${id}`,
      takenIf((call) => alteredPart(call) === part)
    ]
  })
  return {
    [`${profile}.put.readable`]: [
      "A URL that was signed for PUT answers GET.",
      `${profile}.put.as-get`,
      takenIf(({ method }) => method === "GET")
    ],
    [`${profile}.put.postable`]: [
      "A URL that was signed for PUT stores the bytes of a POST.",
      `${profile}.put.as-post`,
      asking(
        puts(({ method }) => method === "POST"),
        (call) => ({ ...call, method: "PUT" })
      )
    ],
    [`${profile}.put.deletable`]: [
      "A URL that was signed for PUT accepts DELETE.",
      `${profile}.put.as-delete`,
      takenIf(({ method }) => method === "DELETE")
    ],
    [`${profile}.put.unsigned-taken`]: [
      "A PUT is accepted without a signature.",
      `${profile}.put.unsigned`,
      takenIf(({ url }) => !url.includes("?"))
    ],
    ...altered("signature", "signature", "another signature"),
    ...altered("key", "key", "the key of another object"),
    ...altered("expiry", "expires", "a later end"),
    ...altered("type", "type", "another content type"),
    ...altered("length", "length", "another length")
  }
}

/** A slot that has refused a PUT refuses every other. */
const closedByRefusal =
  (profile: Reservation["profile"]): Front =>
  (ask, target) => {
    const shut = new Set<string>()
    const isPut = at("put", ({ method, reservation }) => method === "PUT" && reservation?.profile === profile)
    return (call) => {
      if (!isPut(call, target)) return ask(call)
      if (shut.has(call.url)) return Effect.succeed(answer(403, { code: "slot_closed" }))
      return Effect.tap(ask(call), (answer) => Effect.sync(() => !isDone(answer) && shut.add(call.url)))
    }
  }

/** Slots of builds or of previews that accept what they must refuse. */
export const uploadMutants = (profile: Reservation["profile"]): MutantTable => ({
  [`${profile}.put.shorter-taken`]: [
    "Fewer bytes than were declared are accepted and finalized.",
    `${profile}.put.shorter`,
    lenient(profile, (sent, declared) => sent.sizeBytes < declared.sizeBytes)
  ],
  [`${profile}.put.longer-taken`]: [
    "More bytes than were declared are accepted and finalized.",
    `${profile}.put.longer`,
    lenient(profile, (sent, declared) => sent.sizeBytes > declared.sizeBytes)
  ],
  [`${profile}.put.other-type-taken`]: [
    "The declared bytes are accepted and finalized with another content type.",
    `${profile}.put.other-type`,
    lenient(profile, (sent, declared) => sent.contentType !== declared.contentType)
  ],
  [`${profile}.put.digest-ignored`]: [
    "Other bytes of the declared length are accepted and finalized.",
    `${profile}.put.other-bytes`,
    lenient(profile, (sent, declared) => sent.sizeBytes === declared.sizeBytes && sent.sha256 !== declared.sha256)
  ],
  ...misusedMutants(profile),
  [`${profile}.put.refused-for-good`]: [
    "A slot that has refused a PUT refuses every other.",
    `${profile}.put.right-after-wrong`,
    closedByRefusal(profile)
  ],
  ...otherSlotMutants(profile)
})
