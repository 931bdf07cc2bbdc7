import { Effect } from "effect"
import { saying, type Call } from "../parts/Call.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"
import {
  answer,
  answeringDone,
  asking,
  at,
  changingFields,
  continuing,
  lacking,
  like,
  present
} from "../parts/fronts.ts"
import { members } from "../parts/json.ts"

const finalize = at("builds.finalize")
const everyAnswer = at(["builds.reserve", "builds.finalize", "builds.latest", "builds.read"])

/** What finalize answers of a build that is ready. */
export const finalizeMutants: MutantTable = {
  "finalize.answers-200": [
    "Finalize answers 200.",
    "finalize.created",
    answeringDone(finalize, ({ json }) => answer(200, members(json)))
  ],
  ...lacking("finalize", "The row that finalize answers", finalize, {
    previewUrl: "finalize.preview-url",
    status: "finalize.status",
    url: "reserve.url"
  }),
  "finalize.processing": [
    "Finalize answers that the build is processing, and a read that it is ready.",
    "read.same-status",
    changingFields(finalize, (fields) => ({ ...fields, status: "processing" }))
  ],
  "urls.relative": [
    "The previewUrl of a build is relative, wherever it is answered.",
    "finalize.absolute-urls",
    changingFields(everyAnswer, (fields) =>
      typeof fields.previewUrl === "string" ? { ...fields, previewUrl: new URL(fields.previewUrl).pathname } : fields
    )
  ],
  "rows.one-preview-url": [
    "All builds have one previewUrl.",
    "read.each",
    changingFields(everyAnswer, (fields) =>
      fields.previewUrl === undefined || fields.previewUrl === null
        ? fields
        : { ...fields, previewUrl: "http://reference.example/replay" }
    )
  ]
}

/** Requests with a token that aren't a finalize, by the names of their checks. */
const noFinalize = {
  "other-operation": [
    "any-operation",
    "another operation",
    like("builds.finalize", { operation: (one) => one !== "finalize" })
  ],
  "no-operation": ["by-token-alone", "no operation", like("builds.reserve", { token: present })]
} as const

const asFinalize = (call: Call): Call => saying(call, { operation: "finalize" })

/** Which bodies finalize a build. */
export const operationMutants: MutantTable = {
  "finalize.any-case": [
    "A token with `FINALIZE` finalizes a build.",
    "finalize.other-operation",
    asking(like("builds.finalize", { operation: "FINALIZE" }), asFinalize)
  ],
  "finalize.trimmed": [
    "A token with `finalize` and a space finalizes a build.",
    "finalize.other-operation",
    asking(like("builds.finalize", { operation: "finalize " }), asFinalize)
  ],
  ...eachOf(noFinalize, ([id, operation, where], check) => [
    `finalize.${id}`,
    `A token with ${operation} finalizes a build.`,
    `finalize.${check}`,
    asking(where, asFinalize)
  ]),
  ...eachOf(noFinalize, ([id, operation, where], check) => [
    `finalize.${id}-done`,
    `A token with ${operation} is refused, and finalizes all the same.`,
    `finalize.${check}`,
    continuing(where, (refusal, call, ask) => Effect.as(ask(asFinalize(call)), refusal))
  ])
}
