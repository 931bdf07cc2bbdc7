import { saying } from "../parts/Call.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import { asking, at, refusing, changingFields, without } from "../parts/fronts.ts"
import { doneSilently, forEither, isUnlinked } from "../parts/isolation.ts"
import { followedBy, items, members } from "../parts/json.ts"
import { otherSlots } from "../parts/slots.ts"

const reserve = at("builds.reserve")

const hasFraction = (json: unknown): boolean => typeof json === "number" && !Number.isInteger(json)

/** What a reservation answers, and in which formats it takes its fields. */
export const reserveMutants: MutantTable = {
  "builds.reserve.no-url": ["A reservation answers no url.", "builds.reserve.url", without(reserve, "url")],
  "builds.reserve.other-url": [
    "A reservation answers a url that the ready build doesn't have.",
    "builds.reserve.url",
    changingFields(reserve, (fields) => ({ ...fields, url: followedBy("/upload")(fields.url) }))
  ],
  "builds.slots.no-content-type": [
    "A slot of a build has no contentType.",
    "builds.slots.content-type",
    without(reserve, "contentType")
  ],
  "builds.reserve.whole-dimensions": [
    "A reservation is refused whose device dimensions have a fraction.",
    "builds.reserve.formats",
    refusing(at("builds.reserve", ({ fields }) => Object.values(members(fields.deviceSpec)).some(hasFraction)))
  ],
  "builds.reserve.transformed-only": [
    "A reservation is refused whose bundle isn't transformed.",
    "builds.reserve.formats",
    refusing(at("builds.reserve", ({ fields }) => fields.isTransformed === false))
  ],
  "builds.files.last-without-slot": [
    "The last of several declared files has no slot.",
    "builds.files",
    otherSlots("builds", "files", (slots) => slots.slice(0, 2))
  ],
  "builds.files.one-slot": [
    "All declared files have the slot of the first.",
    "builds.files",
    otherSlots("builds", "files", (slots) => slots.map(() => slots[0] ?? null))
  ],
  "builds.files.key-wanted": [
    "The PUT of a file requires an API key.",
    "builds.files",
    refusing(
      at(
        "put",
        ({ by, reservation, url }) =>
          reservation?.profile === "builds" && by === "none" && reservation.putUrls.indexOf(url) > 0
      )
    )
  ]
}

/** What a slot is given for. */
const noSlotForEmpty = (profile: "builds" | "previews"): MutantTable => ({
  [`${profile}.files.empty-without-slot`]: [
    "A declared file of no bytes has no slot.",
    `${profile}.files.empty`,
    asking(at(`${profile}.reserve`), (call) =>
      saying(call, { files: items(call.fields.files).filter((file) => members(file).sizeBytes !== 0) })
    )
  ]
})

export const emptyFileMutants = { builds: noSlotForEmpty("builds"), previews: noSlotForEmpty("previews") }

/** For which repositories a build is reserved. */
export const repositoryMutants: MutantTable = {
  "builds.reserve.unlinked-granted": [
    "A reservation for a repository that is linked to no account is granted.",
    "builds.reserve.unlinked-repository",
    asking(
      at("builds.reserve", ({ fields }, target) => isUnlinked(fields.owner, fields.repo, target)),
      (call, { config }) => saying(call, config.accounts.a.linked)
    )
  ],
  "builds.reserve.foreign-granted": [
    "A reservation for another account's repository is granted.",
    "builds.reserve.foreign-repository",
    forEither(at("builds.reserve"))
  ],
  "builds.reserve.foreign-done": [
    "A reservation for another account's repository is refused, and done all the same.",
    "builds.reserve.foreign-repository",
    doneSilently(at("builds.reserve"))
  ]
}
