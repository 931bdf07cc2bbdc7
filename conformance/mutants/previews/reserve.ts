import { at, without } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { otherSlots } from "../parts/slots.ts"

const reserve = at("previews.reserve")

/** What a reservation of a preview answers. */
export const reserveMutants: ReadonlyArray<Mutant> = [
  {
    id: "previews.reserve.third-recording-without-slot",
    fault: "No more than two recordings of a preview have slots.",
    caughtBy: ["previews.reserve.answer"],
    front: otherSlots("previews", "recordings", (slots) => slots.slice(0, 2))
  },
  {
    id: "previews.reserve.third-file-without-slot",
    fault: "No more than two files of a preview have slots.",
    caughtBy: ["previews.reserve.answer"],
    front: otherSlots("previews", "files", (slots) => slots.slice(0, 2))
  },
  {
    id: "previews.slots.no-object-key",
    fault: "A slot of a preview has no objectKey.",
    caughtBy: ["previews.slots.object-key"],
    front: without(reserve, "objectKey")
  },
  {
    id: "previews.slots.no-content-type",
    fault: "A slot of a preview has no contentType.",
    caughtBy: ["previews.slots.content-type"],
    front: without(reserve, "contentType")
  }
]
