import { Effect } from "effect"
import type { Answer, Json } from "../../session/Exchange.ts"
import { reading, type Call } from "../parts/Call.ts"
import { usingUp } from "../parts/usingUp.ts"
import type { Front } from "../parts/Front.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"
import { answer, at, continuing, isDone, refusing, changingFields, lacking } from "../parts/fronts.ts"
import { items, members } from "../parts/json.ts"
import { missing, type Missing } from "../parts/missing.ts"

const finalize = at("previews.finalize")

const declares = (call: Call, name: "files" | "recordings"): boolean =>
  items(call.reservation?.call.fields[name]).length > 0

/** When finalize hosts a preview, and what it answers. */
export const finalizeMutants: MutantTable = {
  ...lacking("finalize", "The answer to the finalize of a preview", finalize, { url: "finalize.hosted-url" }),
  "finalize.files-or-recordings": [
    "A preview that has both files and recordings is never hosted.",
    ["finalize.all-objects", "finalize.after-missing", "read.foreign", "key.read", "scope.read"],
    refusing(at("previews.finalize", (call) => declares(call, "files") && declares(call, "recordings")))
  ],
  "finalize.used-up-incomplete": [
    "A finalize that is refused because an object is missing uses up its token.",
    "finalize.after-missing",
    usingUp("previews", (call) => missing(call).length > 0)
  ]
}

/** Whether a finalize was refused for missing objects that are all such ones. */
const areMissing = (answer: Answer, call: Call, such: (missing: Missing) => boolean): boolean => {
  const objects = missing(call)
  return !isDone(answer) && objects.length > 0 && objects.every(such)
}

/** Hosts a preview although such objects are missing. */
const unverified = (such: (missing: Missing) => boolean): Front =>
  continuing(finalize, (refusal, call, ask) =>
    areMissing(refusal, call, such)
      ? Effect.map(ask(reading(call, "previews.read", `/previews/${call.reservation?.id ?? ""}`)), ({ json }) =>
          answer(201, { ...members(json), status: "ready" })
        )
      : Effect.succeed(refusal)
  )

/** Shows a preview as hosted after its finalize was refused for missing objects. */
const hostedSilently: Front = (ask, target, dialect) => {
  const refused = new Set<Json | undefined>()
  const changed = changingFields(at("previews.read"), (fields) =>
    refused.has(fields.shareId) ? dialect.asHosted(fields) : fields
  )(ask, target, dialect)
  return (call) =>
    Effect.tap(changed(call), (answer) =>
      Effect.sync(
        () => finalize(call, target) && areMissing(answer, call, () => true) && refused.add(call.reservation?.id)
      )
    )
}

/** A preview is hosted before everything that was declared has arrived. */
export const missingMutants: MutantTable = {
  ...eachOf({ bundle: 0, file: 1, recording: 2 }, (_, object) => [
    `finalize.without-${object}`,
    `A preview is hosted whose ${object} never arrived.`,
    `finalize.missing-${object}`,
    unverified((one) => one.object === object)
  ]),
  "finalize.first-file-alone": [
    "A preview is hosted when only the first of its files has arrived.",
    "finalize.missing-file",
    unverified(({ object, place }) => object === "file" && place > 0)
  ],
  "finalize.incomplete-done": [
    "The finalize of a preview with missing objects is refused, and the preview is hosted all the same.",
    ["finalize.missing-bundle", "finalize.missing-file", "finalize.missing-recording"],
    hostedSilently
  ]
}
