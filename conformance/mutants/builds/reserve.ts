import { at, refusing, tellingElse, without } from "../parts/fronts.ts"
import { followedBy, members } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { otherSlots } from "../parts/slots.ts"

const reserve = at("builds.reserve")

const hasFraction = (json: unknown): boolean => typeof json === "number" && !Number.isInteger(json)

/** What a reservation answers, and in which formats it takes its fields. */
export const reserveMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.reserve.no-url",
    fault: "A reservation answers no url.",
    caughtBy: ["builds.reserve.url"],
    front: without(reserve, "url")
  },
  {
    id: "builds.reserve.other-url",
    fault: "A reservation answers a url that the ready build doesn't have.",
    caughtBy: ["builds.reserve.url"],
    front: tellingElse(reserve, (fields) => ({ ...fields, url: followedBy("/upload")(fields.url) }))
  },
  {
    id: "builds.slots.no-content-type",
    fault: "A slot of a build has no contentType.",
    caughtBy: ["builds.slots.content-type"],
    front: without(reserve, "contentType")
  },
  {
    id: "builds.reserve.whole-dimensions",
    fault: "A reservation is refused whose device dimensions have a fraction.",
    caughtBy: ["builds.reserve.formats"],
    front: refusing(at("builds.reserve", ({ fields }) => Object.values(members(fields.deviceSpec)).some(hasFraction)))
  },
  {
    id: "builds.reserve.transformed-only",
    fault: "A reservation is refused whose bundle isn't transformed.",
    caughtBy: ["builds.reserve.formats"],
    front: refusing(at("builds.reserve", ({ fields }) => fields.isTransformed === false))
  },
  {
    id: "builds.files.last-without-slot",
    fault: "The last of several declared files has no slot.",
    caughtBy: ["builds.files"],
    front: otherSlots("builds", "files", (slots) => slots.slice(0, 2))
  },
  {
    id: "builds.files.one-slot",
    fault: "All declared files have the slot of the first.",
    caughtBy: ["builds.files"],
    front: otherSlots("builds", "files", (slots) => slots.map(() => slots[0] ?? null))
  },
  {
    id: "builds.files.key-wanted",
    fault: "The PUT of a file wants an API key.",
    caughtBy: ["builds.files"],
    front: refusing(
      at(
        "put",
        ({ by, reservation, url }) => reservation?.profile === "builds" && url.includes("/files/") && by === "none"
      )
    )
  }
]
