import type { Fields } from "../parts/Call.ts"
import { eachOf, type MutantTable, type Row } from "../parts/Mutant.ts"
import { answer, at, changingFields, like, refusing } from "../parts/fronts.ts"
import { foreignUrl, forUnownedResource } from "../parts/isolation.ts"

const read = at("previews.read")

/** Answers other metadata: `undefined` leaves a member out. */
const showing = (change: (fields: Fields) => Fields) =>
  changingFields(read, (fields) => ({ ...fields, ...change(fields) }))

/** The members of the metadata, with what each is, and the checks that report its absence where its own isn't alone. */
const parts: Readonly<Record<string, readonly [what: string, caughtBy?: Row[1]]>> = {
  url: ["hosted url of its own"],
  device: ["device details"],
  files: ["files", ["metadata.files", "metadata.every-file"]],
  recordings: ["recording artifacts", ["metadata.recordings", "metadata.every-recording"]],
  git: ["Git provenance"],
  account: ["account attribution"]
}

/** What the metadata of a hosted preview has. */
export const metadataMutants: MutantTable = {
  ...eachOf(parts, ([what, caughtBy], name) => [
    `metadata.no-${name}`,
    `The metadata of a preview has no ${what}.`,
    caughtBy ?? `metadata.${name}`,
    showing(() => ({ [name]: undefined }))
  ]),
  "metadata.repository-alone": [
    "A reservation wants a repository, and the metadata tells that, and no account.",
    "metadata.account",
    (ask, ...host) =>
      refusing(like("previews.reserve", { owner: undefined }))(
        showing(() => ({ account: undefined }))(ask, ...host),
        ...host
      )
  ],
  "metadata.one-account": [
    "The metadata of every preview is attributed to one and the same account.",
    "metadata.account",
    showing(() => ({ account: { id: "1", name: "everybody" } }))
  ]
}

/** Who sees a preview. */
export const visibilityMutants: MutantTable = {
  "read.foreign-url": [
    "The refusal of another account's preview shows its url.",
    "read.foreign",
    foreignUrl("previews.read", 403, "forbidden")
  ],
  "read.unknown-empty": [
    "A read of a preview that doesn't exist is answered 200 with an empty object.",
    "read.unknown",
    forUnownedResource(read, answer(200, {}))
  ]
}
