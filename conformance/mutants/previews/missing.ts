import { Effect } from "effect"
import { asText, isObject } from "../../dialect/search.ts"
import type { Answer, Json } from "../../session/Exchange.ts"
import { reading } from "../parts/Call.ts"
import type { Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { answer, at, goingOn, tellingElse } from "../parts/fronts.ts"
import { items, members } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const finalize = at("previews.finalize")

/** Whether a finalize was refused for missing objects, all of which lie at such places. */
const areMissing = ({ json, status }: Answer, place: RegExp): boolean => {
  const objects = items(members(json).objects).map(members)
  const fit = objects.filter(({ objectKey, reason }) => reason === "missing" && place.test(asText(objectKey) ?? ""))
  return status === 409 && objects.length > 0 && fit.length === objects.length
}

/** Hosts a preview though objects at such places are missing. */
const unverified = (place: RegExp): Front =>
  goingOn(finalize, (refusal, call, ask) =>
    areMissing(refusal, place)
      ? Effect.map(ask(reading(call, "previews.read", `/previews/${call.reservation?.id ?? ""}`)), ({ json }) =>
          answer(201, { ...members(json), status: "ready" })
        )
      : Effect.succeed(refusal)
  )

const url = "http://reference.example/opens-it"

const opened = (json: Json | undefined): Json => (isObject(json) ? { ...json, url } : (json ?? null))

/** What the host tells of a preview that is hosted. */
const asHosted = (fields: Fields): Fields => ({
  ...fields,
  status: "ready",
  bundle: opened(fields.bundle),
  files: items(fields.files).map(opened),
  recordings: items(fields.recordings).map(opened),
  readyAt: fields.createdAt
})

/** Says of a preview whose finalize was refused for missing objects that it is hosted. */
const hostedInSecret: Front = (ask, target) => {
  const refused = new Set<Json | undefined>()
  const told = tellingElse(at("previews.read"), (fields) => (refused.has(fields.shareId) ? asHosted(fields) : fields))(
    ask,
    target
  )
  return (call) =>
    Effect.tap(told(call), (answer) =>
      Effect.sync(() => finalize(call, target) && areMissing(answer, /./) && refused.add(call.reservation?.id))
    )
}

const without = (object: "bundle" | "file" | "recording", place: RegExp): Mutant => ({
  id: `previews.finalize.without-${object}`,
  fault: `A preview is hosted whose ${object} never arrived.`,
  caughtBy: [`previews.finalize.missing-${object}`],
  front: unverified(place)
})

/** A preview is hosted before everything that was declared has arrived. */
export const missingMutants: ReadonlyArray<Mutant> = [
  without("bundle", /\/bundle$/),
  without("file", /\/files\//),
  without("recording", /\/recordings\//),
  {
    id: "previews.finalize.first-file-alone",
    fault: "A preview is hosted when the first of its files has arrived, and not the others.",
    caughtBy: ["previews.finalize.missing-file"],
    front: unverified(/\/files\/[1-9]/)
  },
  {
    id: "previews.finalize.incomplete-done",
    fault: "The finalize of a preview with missing objects is refused, and the preview is hosted all the same.",
    caughtBy: [
      "previews.finalize.missing-bundle",
      "previews.finalize.missing-file",
      "previews.finalize.missing-recording"
    ],
    front: hostedInSecret
  }
]
