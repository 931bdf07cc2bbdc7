import type { KeyName } from "../../session/Exchange.ts"
import { accountOf, by, keyOf } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import { asking, at, refusing, without, type Where } from "../parts/fronts.ts"
import { otherSlots } from "../parts/slots.ts"

const reserve = at("previews.reserve")

/** What a reservation of a preview answers. */
export const reserveMutants: MutantTable = {
  "previews.reserve.third-recording-without-slot": [
    "Only the first two recordings of a preview have slots.",
    "previews.reserve.answer",
    otherSlots("previews", "recordings", (slots) => slots.slice(0, 2))
  ],
  "previews.reserve.third-file-without-slot": [
    "Only the first two files of a preview have slots.",
    "previews.reserve.answer",
    otherSlots("previews", "files", (slots) => slots.slice(0, 2))
  ],
  "previews.slots.no-object-key": [
    "A slot of a preview has no objectKey.",
    "previews.slots.object-key",
    without(reserve, "objectKey")
  ],
  "previews.slots.no-content-type": [
    "A slot of a preview has no contentType.",
    "previews.slots.content-type",
    without(reserve, "contentType")
  ]
}

const billed = (...keys: ReadonlyArray<KeyName>): Where =>
  at("previews.reserve", (call) => {
    const key = keyOf(call)
    return call.fields.billingKind === "test_run" && key !== undefined && keys.includes(key)
  })

/** Lets keys of this name reserve a billed preview. */
const enough = (key: KeyName): Front => asking(billed(key), (call) => by(call, accountOf(call) ?? "a"))

/** Which scopes a key needs to reserve a preview that is billed as a test run. */
export const billedMutants: MutantTable = {
  "previews.billed.never": [
    "A preview that is billed as a test run is refused to a key with both scopes.",
    "previews.billed.both-scopes",
    refusing(billed("all"))
  ],
  "previews.billed.by-preview-upload": [
    "A preview that is billed as a test run is reserved by a key without `test_runs`.",
    "previews.billed.without-test-runs",
    enough("previewUpload")
  ],
  "previews.billed.by-test-runs": [
    "A preview that is billed as a test run is reserved by a key without `preview_upload`.",
    "previews.billed.without-preview-upload",
    enough("testRuns")
  ]
}
