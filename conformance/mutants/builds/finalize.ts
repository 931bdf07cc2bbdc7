import { Effect } from "effect"
import { saying, type Call, type Fields } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import { answer, answeringDone, asking, at, continuing, changingFields, without, type Where } from "../parts/fronts.ts"
import { members } from "../parts/json.ts"

const finalize = at("builds.finalize")
const everyAnswer = at(["builds.reserve", "builds.finalize", "builds.latest", "builds.read"])

const withoutOrigin = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      names.includes(name) && typeof value === "string" ? new URL(value).pathname : value
    ])
  )

/** What finalize answers of a build that is ready. */
export const finalizeMutants: MutantTable = {
  "builds.finalize.answers-200": [
    "Finalize answers 200.",
    "builds.finalize.created",
    answeringDone(finalize, ({ json }) => answer(200, members(json)))
  ],
  "builds.finalize.no-preview-url": [
    "The row that finalize answers has no previewUrl.",
    "builds.finalize.preview-url",
    without(finalize, "previewUrl")
  ],
  "builds.finalize.no-status": [
    "The row that finalize answers has no status.",
    "builds.finalize.status",
    without(finalize, "status")
  ],
  "builds.finalize.processing": [
    "Finalize answers that the build is processing, and a read that it is ready.",
    "builds.read.same-status",
    changingFields(finalize, (fields) => ({ ...fields, status: "processing" }))
  ],
  "builds.finalize.no-url": [
    "The row that finalize answers has no url.",
    "builds.reserve.url",
    without(finalize, "url")
  ],
  "builds.urls.relative": [
    "The url and the previewUrl of a build are relative, wherever they are answered.",
    "builds.finalize.absolute-urls",
    changingFields(everyAnswer, (fields) => withoutOrigin(fields, ["url", "previewUrl"]))
  ],
  "builds.urls.relative-preview": [
    "The previewUrl of a build is relative.",
    "builds.finalize.absolute-urls",
    changingFields(everyAnswer, (fields) => withoutOrigin(fields, ["previewUrl"]))
  ]
}

const otherOperation: Where = at("builds.finalize", ({ fields }) => fields.operation !== "finalize")
const noOperation: Where = at("builds.reserve", ({ fields }) => fields.token !== undefined)

const asFinalize = (call: Call): Call => saying(call, { operation: "finalize" })

const doneAllTheSame = (where: Where): Front =>
  continuing(where, (refusal, call, ask) => Effect.as(ask(asFinalize(call)), refusal))

/** Which bodies finalize a build. */
export const operationMutants: MutantTable = {
  "builds.finalize.any-operation": [
    "A token finalizes a build with any operation.",
    "builds.finalize.other-operation",
    asking(otherOperation, asFinalize)
  ],
  "builds.finalize.any-operation-done": [
    "A token with another operation is refused, and finalizes all the same.",
    "builds.finalize.other-operation",
    doneAllTheSame(otherOperation)
  ],
  "builds.finalize.by-token-alone": [
    "A token finalizes a build without an operation.",
    "builds.finalize.no-operation",
    asking(noOperation, asFinalize)
  ],
  "builds.finalize.by-token-alone-done": [
    "A token without an operation is refused, and finalizes all the same.",
    "builds.finalize.no-operation",
    doneAllTheSame(noOperation)
  ]
}
