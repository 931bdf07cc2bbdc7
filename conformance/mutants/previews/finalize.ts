import { Effect } from "effect"
import { asText, isObject } from "../../dialect/search.ts"
import type { Answer, Json } from "../../session/Exchange.ts"
import { reading, type Call, type Fields } from "../parts/Call.ts"
import { usingUp } from "../parts/usingUp.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import { answer, at, goingOn, refusing, tellingElse, without } from "../parts/fronts.ts"
import { items, members } from "../parts/json.ts"

const finalize = at("previews.finalize")

const declares = (call: Call, name: "files" | "recordings"): boolean =>
  items(call.reservation?.call.fields[name]).length > 0

/** When finalize hosts a preview, and what it answers. */
export const finalizeMutants: MutantTable = {
  "previews.finalize.no-url": [
    "The finalize of a preview answers no url.",
    "previews.finalize.hosted-url",
    without(finalize, "url")
  ],
  "previews.finalize.files-or-recordings": [
    "A preview that has both files and recordings is never hosted.",
    [
      "previews.finalize.all-objects",
      "previews.finalize.after-missing",
      "previews.read.foreign",
      "previews.key.read",
      "previews.scope.read"
    ],
    refusing(at("previews.finalize", (call) => declares(call, "files") && declares(call, "recordings")))
  ],
  "previews.finalize.used-up-incomplete": [
    "A finalize that is refused because an object is missing uses up its token.",
    "previews.finalize.after-missing",
    usingUp("previews", (_, { status }) => status === 409)
  ]
}

/** Whether a finalize was refused for missing objects whose keys all match. */
const areMissing = ({ json, status }: Answer, place: RegExp): boolean => {
  const objects = items(members(json).objects).map(members)
  const fit = objects.filter(({ objectKey, reason }) => reason === "missing" && place.test(asText(objectKey) ?? ""))
  return status === 409 && objects.length > 0 && fit.length === objects.length
}

/** Hosts a preview although objects whose keys match are missing. */
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

/** The metadata as it is after the preview was hosted. */
const asHosted = (fields: Fields): Fields => ({
  ...fields,
  status: "ready",
  bundle: opened(fields.bundle),
  files: items(fields.files).map(opened),
  recordings: items(fields.recordings).map(opened),
  readyAt: fields.createdAt
})

/** Shows a preview as hosted after its finalize was refused for missing objects. */
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

const hostedWithout = (object: "bundle" | "file" | "recording", place: RegExp): MutantTable => ({
  [`previews.finalize.without-${object}`]: [
    `A preview is hosted whose ${object} never arrived.`,
    `previews.finalize.missing-${object}`,
    unverified(place)
  ]
})

/** A preview is hosted before everything that was declared has arrived. */
export const missingMutants: MutantTable = {
  ...hostedWithout("bundle", /\/bundle$/),
  ...hostedWithout("file", /\/files\//),
  ...hostedWithout("recording", /\/recordings\//),
  "previews.finalize.first-file-alone": [
    "A preview is hosted when only the first of its files has arrived.",
    "previews.finalize.missing-file",
    unverified(/\/files\/[1-9]/)
  ],
  "previews.finalize.incomplete-done": [
    "The finalize of a preview with missing objects is refused, and the preview is hosted all the same.",
    ["previews.finalize.missing-bundle", "previews.finalize.missing-file", "previews.finalize.missing-recording"],
    hostedInSecret
  ]
}
