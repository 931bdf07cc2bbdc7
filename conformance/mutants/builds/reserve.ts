import type { Json } from "../../session/Exchange.ts"
import { saying } from "../parts/Call.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import { asking, at, lacking, like, refusing } from "../parts/fronts.ts"
import { doneSilently, forEither, isUnlinked } from "../parts/isolation.ts"
import { items, members } from "../parts/json.ts"
import { otherSlots } from "../parts/slots.ts"

const reserve = at("builds.reserve")

const hasFraction = (json: unknown): boolean => typeof json === "number" && !Number.isInteger(json)

/** What a reservation answers, and in which formats it takes its fields. */
export const reserveMutants: MutantTable = {
  ...lacking("reserve", "The answer to a reservation", reserve, { url: "reserve.url" }),
  ...lacking("slots", "A slot of a build", reserve, { contentType: "slots.content-type" }),
  "reserve.whole-dimensions": [
    "A reservation is refused whose device dimensions have a fraction.",
    "reserve.formats",
    refusing(like("builds.reserve", { deviceSpec: (spec) => Object.values(members(spec)).some(hasFraction) }))
  ],
  "files.type-one-slot": [
    "Declared files of one content type have the slot of the first of them.",
    "files",
    otherSlots("builds", "files", (slots) => {
      const typeOf = (slot: Json) => members(slot).contentType
      return slots.map((slot) => slots.find((one) => typeOf(one) === typeOf(slot)) ?? slot)
    })
  ],
  "files.parameter-refused": [
    "A PUT whose content type has a parameter is refused.",
    "files",
    refusing(at("put", ({ headers }) => headers["content-type"]?.includes(";") === true))
  ],
  "files.key-wanted": [
    "The PUT of a file requires an API key.",
    "files",
    refusing(at("put", ({ by, reservation, url }) => by === "none" && (reservation?.putUrls.indexOf(url) ?? 0) > 0))
  ]
}

/** What a slot is given for. */
export const emptyFileMutants = (profile: "builds" | "previews"): MutantTable => ({
  "files.empty-without-slot": [
    "A declared file of no bytes has no slot.",
    "files.empty",
    asking(at(`${profile}.reserve`), (call) =>
      saying(call, { files: items(call.fields.files).filter((file) => members(file).sizeBytes !== 0) })
    )
  ]
})

/** For which repositories a build is reserved. */
export const repositoryMutants: MutantTable = {
  "reserve.unlinked-granted": [
    "A reservation for a repository that is linked to no account is granted.",
    "reserve.unlinked-repository",
    asking(
      at("builds.reserve", ({ fields }, target) => isUnlinked(fields.owner, fields.repo, target)),
      (call, { config }) => saying(call, config.accounts.a.linked)
    )
  ],
  "reserve.foreign-granted": [
    "A reservation for another account's repository is granted.",
    "reserve.foreign-repository",
    forEither(reserve)
  ],
  "reserve.foreign-done": [
    "A reservation for another account's repository is refused, and done all the same.",
    "reserve.foreign-repository",
    doneSilently(reserve)
  ]
}
