import { at, tellingElse } from "../parts/fronts.ts"
import { followedBy } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const read = at("previews.read")

const leftOut = (name: string, member: string, text: string): Mutant => ({
  id: `previews.metadata.no-${name}`,
  fault: `The metadata of a preview has no ${text}.`,
  caughtBy: [`previews.metadata.${name}`],
  front: tellingElse(read, (fields) => ({ ...fields, [member]: undefined }))
})

/** What the metadata of a hosted preview tells. */
export const metadataMutants: ReadonlyArray<Mutant> = [
  leftOut("url", "url", "hosted url of its own"),
  {
    id: "previews.metadata.other-url",
    fault: "The metadata of a preview has another url than finalize answered.",
    caughtBy: ["previews.metadata.url"],
    front: tellingElse(read, (fields) => ({ ...fields, url: followedBy("/read")(fields.url) }))
  },
  leftOut("device", "device", "device details"),
  leftOut("files", "files", "files"),
  leftOut("recordings", "recordings", "recording artifacts"),
  leftOut("git", "git", "Git provenance"),
  leftOut("account", "account", "account attribution"),
  {
    id: "previews.metadata.one-account",
    fault: "The metadata of every preview is attributed to one and the same account.",
    caughtBy: ["previews.metadata.account"],
    front: tellingElse(read, (fields) => ({ ...fields, account: { id: "1", name: "everybody" } }))
  }
]
