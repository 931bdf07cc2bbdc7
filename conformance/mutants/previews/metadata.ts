import { Effect } from "effect"
import { accountOf, by } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import { answer, at, continuing, isDone, refusing, changingFields } from "../parts/fronts.ts"
import { forEither, forUnownedResource } from "../parts/isolation.ts"
import { followedBy, items, members } from "../parts/json.ts"

const read = at("previews.read")

const leftOut = (name: string, member: string, text: string): MutantTable => ({
  [`previews.metadata.no-${name}`]: [
    `The metadata of a preview has no ${text}.`,
    name === "files" ? ["previews.metadata.files", "previews.metadata.every-file"] : `previews.metadata.${name}`,
    changingFields(read, (fields) => ({ ...fields, [member]: undefined }))
  ]
})

/** What the metadata of a hosted preview has. */
export const metadataMutants: MutantTable = {
  ...leftOut("url", "url", "hosted url of its own"),
  "previews.metadata.other-url": [
    "The metadata of a preview has another url than finalize answered.",
    "previews.metadata.url",
    changingFields(read, (fields) => ({ ...fields, url: followedBy("/read")(fields.url) }))
  ],
  ...leftOut("device", "device", "device details"),
  ...leftOut("files", "files", "files"),
  "previews.metadata.first-file": [
    "The metadata of a preview has only the first of its files.",
    "previews.metadata.every-file",
    changingFields(read, (fields) => ({ ...fields, files: items(fields.files).slice(0, 1) }))
  ],
  ...leftOut("recordings", "recordings", "recording artifacts"),
  ...leftOut("git", "git", "Git provenance"),
  ...leftOut("account", "account", "account attribution"),
  "previews.metadata.repository-alone": [
    "A reservation wants a repository, and the metadata tells that, and no account.",
    "previews.metadata.account",
    (ask, ...host) =>
      refusing(at("previews.reserve", ({ fields }) => fields.owner === undefined))(
        changingFields(read, (fields) => ({ ...fields, account: undefined }))(ask, ...host),
        ...host
      )
  ],
  "previews.metadata.one-account": [
    "The metadata of every preview is attributed to one and the same account.",
    "previews.metadata.account",
    changingFields(read, (fields) => ({ ...fields, account: { id: "1", name: "everybody" } }))
  ]
}

/** Refuses account b the preview of account a with an answer that has the preview's url. */
const changingKind: Front = continuing(
  at("previews.read", (call) => accountOf(call) === "b"),
  (refusal, call, ask) =>
    isDone(refusal)
      ? Effect.succeed(refusal)
      : Effect.map(ask(by(call, "a")), ({ json }) =>
          answer(403, { code: "forbidden", detail: `You may not open ${String(members(json).url)}.` })
        )
)

/** Who sees a preview. */
export const visibilityMutants: MutantTable = {
  "previews.read.foreign-shown": ["Another account's preview is shown.", "previews.read.foreign", forEither(read)],
  "previews.read.foreign-url": [
    "The refusal of another account's preview shows its url.",
    "previews.read.foreign",
    changingKind
  ],
  "previews.read.unknown-empty": [
    "A read of a preview that doesn't exist is answered 200 with an empty object.",
    "previews.read.unknown",
    forUnownedResource(read, answer(200, {}))
  ]
}
