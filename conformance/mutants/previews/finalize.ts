import { Effect } from "effect"
import type { Answer, Json } from "../../session/Exchange.ts"
import { reading, type Call } from "../parts/Call.ts"
import type { Ask, Front } from "../parts/Front.ts"
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
    [
      "finalize.all-objects",
      "finalize.after-missing",
      "finalize.after-foreign",
      "finalize.early",
      "read.foreign",
      "key.read",
      "scope.read",
      "scope.suffices"
    ],
    refusing(at("previews.finalize", (call) => declares(call, "files") && declares(call, "recordings")))
  ]
}

/** Whether a finalize was refused for missing objects that are all such ones. */
const areMissing = (answer: Answer, call: Call, such: (missing: Missing) => boolean): boolean => {
  const objects = missing(call)
  return !isDone(answer) && objects.length > 0 && objects.every(such)
}

/** Continues a finalize that was refused for missing objects that are all such ones as if it hosted the preview. */
const hostedIf =
  (such: (missing: Missing) => boolean) =>
  (refusal: Answer, call: Call, ask: Ask): Effect.Effect<Answer> =>
    areMissing(refusal, call, such)
      ? Effect.map(ask(reading(call, "previews.read", `/previews/${call.reservation?.id ?? ""}`)), ({ json }) =>
          answer(201, { ...members(json), status: "ready" })
        )
      : Effect.succeed(refusal)

/** Hosts a preview although such objects are missing. */
const unverified = (such: (missing: Missing) => boolean): Front => continuing(finalize, hostedIf(such))

const everyMissing = ["finalize.missing-bundle", "finalize.missing-file", "finalize.missing-recording"] as const

/** Hosts a preview after as many PUTs as it has objects, whichever they went to. */
const countingPuts: Front = (ask, ...host) => {
  const puts = new Map<string, number>()
  const hosting = continuing(
    at(
      "previews.finalize",
      ({ reservation }) => (puts.get(reservation?.id ?? "") ?? 0) >= (reservation?.putUrls.length ?? 0)
    ),
    hostedIf(() => true)
  )(ask, ...host)
  return (call) => {
    const { endpoint, reservation } = call
    if (endpoint === "put" && reservation !== undefined) puts.set(reservation.id, (puts.get(reservation.id) ?? 0) + 1)
    return hosting(call)
  }
}

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
  "finalize.last-file-alone": [
    "A preview is hosted when only the last of its files has arrived.",
    "finalize.missing-file",
    unverified(({ object, place }) => object === "file" && place < 2)
  ],
  "finalize.last-object-alone": [
    "A preview is hosted when the last of its objects has arrived.",
    everyMissing,
    unverified(({ object, place }) => object !== "recording" || place < 2)
  ],
  "finalize.counts-puts": ["A preview is hosted after as many PUTs as it has objects.", everyMissing, countingPuts],
  "finalize.incomplete-done": [
    "The finalize of a preview with missing objects is refused, and the preview is hosted all the same.",
    everyMissing,
    hostedSilently
  ]
}
