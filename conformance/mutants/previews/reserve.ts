import type { KeyName } from "../../session/Exchange.ts"
import { accountOf, by, keyOf } from "../parts/Call.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"
import { asking, at, lacking, refusing, type Where } from "../parts/fronts.ts"
import { otherSlots } from "../parts/slots.ts"

/** What a reservation of a preview answers. */
export const reserveMutants: MutantTable = {
  ...eachOf({ recording: "recordings", file: "files" } as const, (group, object) => [
    `reserve.third-${object}-without-slot`,
    `Only the first two ${group} of a preview have slots.`,
    "reserve.answer",
    otherSlots("previews", group, (slots) => slots.slice(0, 2))
  ]),
  ...lacking("slots", "A slot of a preview", at("previews.reserve"), {
    objectKey: "slots.object-key",
    contentType: "slots.content-type"
  })
}

const billedTo = (key: KeyName): Where =>
  at("previews.reserve", (call) => call.fields.billingKind === "test_run" && keyOf(call) === key)

/** The keys that lack one of the scopes for a billed preview, by the scope that they have. */
const insufficient: Readonly<Record<string, readonly [key: KeyName, lacked: string]>> = {
  "preview-upload": ["previewUpload", "test-runs"],
  "test-runs": ["testRuns", "preview-upload"]
}

/** Which scopes a key needs to reserve a preview that is billed as a test run. */
export const billedMutants: MutantTable = {
  "billed.never": [
    "A preview that is billed as a test run is refused to a key with both scopes.",
    "billed.both-scopes",
    refusing(billedTo("all"))
  ],
  ...eachOf(insufficient, ([key, lacked], id) => [
    `billed.by-${id}`,
    `A preview that is billed as a test run is reserved by a key without \`${lacked.replace("-", "_")}\`.`,
    `billed.without-${lacked}`,
    asking(billedTo(key), (call) => by(call, accountOf(call) ?? "a"))
  ])
}
