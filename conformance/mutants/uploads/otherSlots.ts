import { Effect } from "effect"
import { createHash } from "node:crypto"
import { follow } from "../../dialect/pointer.ts"
import { asText, eachMember } from "../../dialect/search.ts"
import type { Json } from "../../session/Exchange.ts"
import { saying, type Call, type Reservation } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { answer, at, refusing } from "../parts/fronts.ts"
import { items, members } from "../parts/json.ts"
import type { MutantTable } from "../parts/Mutant.ts"

type Profile = Reservation["profile"]

/** Takes fewer or more bytes of a file or a recording than were declared, and finalizes them as if they had been declared. */
const lenientWith =
  (profile: Profile, group: "files" | "recordings", takes: (more: number) => boolean): Front =>
  (ask) => {
    const puts = new Map<string, Map<number, Call>>()
    const short = new Set<string>()
    /** Where the objects of this group begin among the slots, which are those of the bundle, the files, the recordings. */
    const start = ({ call: { fields } }: Reservation) => (group === "files" ? 1 : 1 + items(fields.files).length)
    const asPut = (reservation: Reservation): ReadonlyArray<Json> =>
      items(reservation.call.fields[group]).map((object, index) => {
        const { body = "" } = puts.get(reservation.token)?.get(start(reservation) + index) ?? {}
        const facts = { sizeBytes: body.length, contentHash: createHash("sha256").update(body).digest("hex") }
        return Object.assign({}, object, facts)
      })
    const resent = Effect.fnUntraced(function* (finalize: Call, reservation: Reservation) {
      const { json } = yield* ask(saying(reservation.call, { [group]: asPut(reservation) }))
      const urls = [...eachMember(json)].flatMap(({ name, value }) => (name === "putUrl" ? (asText(value) ?? []) : []))
      for (const [place, put] of puts.get(reservation.token) ?? []) yield* ask({ ...put, url: urls[place] ?? put.url })
      return yield* ask(saying(finalize, { token: follow(json ?? null, "/token") }))
    })
    return (call) => {
      const { body, endpoint, method, reservation, url } = call
      if (reservation?.profile !== profile) return ask(call)
      const { token } = reservation
      if (endpoint === `${profile}.finalize` && short.has(token)) return resent(call, reservation)
      const place = reservation.putUrls.indexOf(url)
      if (endpoint !== "put" || method !== "PUT" || place < 0) return ask(call)
      puts.set(token, (puts.get(token) ?? new Map<number, Call>()).set(place, call))
      const declared = items(reservation.call.fields[group])[place - start(reservation)]
      if (declared === undefined || !takes((body?.length ?? 0) - Number(members(declared).sizeBytes))) return ask(call)
      short.add(token)
      return Effect.succeed(answer(200, {}))
    }
  }

const wrongLengthTaken = (profile: Profile, object: "file" | "recording"): MutantTable => ({
  [`put.shorter-${object}-taken`]: [
    `Fewer bytes of a ${object} than were declared are accepted and finalized.`,
    `put.shorter-${object}`,
    lenientWith(profile, `${object}s`, (more) => more < 0)
  ],
  [`put.longer-${object}-taken`]: [
    `More bytes of a ${object} than were declared are accepted and finalized.`,
    `put.longer-${object}`,
    lenientWith(profile, `${object}s`, (more) => more > 0)
  ]
})

/** Faults with other objects than small bundles. */
export const otherSlotMutants = (profile: Profile): MutantTable => ({
  ...wrongLengthTaken(profile, "file"),
  ...(profile === "previews" ? wrongLengthTaken(profile, "recording") : {}),
  "put.large-refused": [
    "A PUT of more than a MiB is refused.",
    "put.large",
    refusing(at("put", ({ body }) => (body?.length ?? 0) > 1024 ** 2))
  ]
})
