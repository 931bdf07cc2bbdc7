import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { accountOf, by, reading, saying } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import type { MutantTable } from "../parts/Mutant.ts"
import {
  answer,
  asking,
  at,
  continuing,
  isDone,
  refusing,
  changingFields,
  without,
  type Where
} from "../parts/fronts.ts"
import { isUnlinked } from "../parts/isolation.ts"
import { members } from "../parts/json.ts"

const registering = (when: Parameters<typeof at>[1]) => at("runs.register", when)

/** Which registrations are accepted. */
export const registerMutants: MutantTable = {
  "runs.register.failure-message-refused": [
    "A registration with a failureMessage is refused.",
    ["runs.register.every-field", "runs.register.zeros"],
    refusing(registering(({ fields }) => fields.failureMessage !== undefined))
  ],
  "runs.register.failure-message-required": [
    "A registration with the status `failed` is refused without a failureMessage.",
    ["runs.register.without-failure-fields", "runs.status.other-word", "runs.list.other-filters"],
    refusing(registering(({ fields }) => fields.status === "failed" && fields.failureMessage === undefined))
  ],
  "runs.register.no-steps-refused": [
    "A registration with a stepCount of 0 is refused.",
    "runs.register.zeros",
    refusing(registering(({ fields }) => fields.stepCount === 0))
  ],
  "runs.register.first-step-refused": [
    "A registration with a failedStepIndex of 0 is refused.",
    "runs.register.zeros",
    refusing(registering(({ fields }) => fields.failedStepIndex === 0))
  ],
  "runs.kind.detox-refused": [
    "A Detox run is refused.",
    ["runs.kind.known", "runs.list.filter-maestro", "runs.list.filter-detox"],
    refusing(registering(({ fields }) => fields.kind === "detox"))
  ],
  "runs.kind.defaults": [
    "A registration without a kind is accepted for a Maestro run.",
    "runs.kind.required",
    asking(
      registering(({ fields }) => fields.kind === undefined),
      (call) => saying(call, { kind: "maestro" })
    )
  ],
  "runs.kind.any": [
    "A registration with any kind is accepted.",
    "runs.kind.other",
    asking(
      registering(({ fields }) => fields.kind === "espresso"),
      (call) => saying(call, { kind: "maestro" })
    )
  ],
  "runs.name.required": [
    "A registration with a prompt is refused without a name.",
    "runs.name.either",
    refusing(registering(({ fields }) => fields.name === undefined && fields.prompt !== undefined))
  ],
  "runs.name.prompt-refused": [
    "A registration with a prompt beside the name is refused.",
    ["runs.name.either", "runs.register.every-field"],
    refusing(registering(({ fields }) => fields.name !== undefined && fields.prompt !== undefined))
  ],
  "runs.name.unnamed": [
    "A registration with neither name nor prompt is accepted.",
    "runs.name.neither",
    asking(
      registering(({ fields }) => fields.name === undefined && fields.prompt === undefined),
      (call) => saying(call, { name: "Unnamed run" })
    )
  ]
}

const register = at("runs.register")

const link = (name: "previewUrl" | "traceUrl", check: string): MutantTable => ({
  [`${check}-missing`]: [`A registration answers no ${name}.`, check, without(register, name)],
  [`${check}-relative`]: [
    `A registration answers a relative ${name}.`,
    check,
    changingFields(register, (fields) => ({ ...fields, [name]: new URL(String(fields[name])).pathname }))
  ]
})

/** The links that a registration answers. */
export const linkMutants: MutantTable = {
  ...link("previewUrl", "runs.register.preview-url"),
  ...link("traceUrl", "runs.register.trace-url"),
  "runs.register.other-host": [
    "The traceUrl that a registration answers is on another host than the previewUrl.",
    "runs.register.viewer-host",
    changingFields(register, (fields) => ({
      ...fields,
      traceUrl: new URL(new URL(String(fields.traceUrl)).pathname, "http://traces.example").href
    }))
  ]
}

const registered = answer(201, {
  id: "1",
  previewUrl: "http://reference.example/previews/1",
  traceUrl: "http://reference.example/runs/1"
})

/** Registers a run for account b after account a was refused. `choose` chooses the answer. */
const forB = (choose: (refusal: Answer, done: Answer) => Answer): Front =>
  continuing(register, (refusal, call, ask, { config }) =>
    accountOf(call) === "a" && !isDone(refusal)
      ? Effect.map(ask(saying(by(call, "b"), config.accounts.b.linked)), (done) => choose(refusal, done))
      : Effect.succeed(refusal)
  )

/** Registers in account a's linked repository instead. */
const inTheLinkedOne = (where: Where): Front =>
  asking(where, (call, { config }) => saying(call, config.accounts.a.linked))

/** Accepts a refused registration if this is true of what the accounts read of the preview that it names. */
const takenIf = (holds: (previews: ReadonlyArray<Answer>) => boolean): Front =>
  continuing(register, (answer, call, ask) => {
    const { previewShareId } = call.fields
    if (isDone(answer) || typeof previewShareId !== "string") return Effect.succeed(answer)
    const read = reading(call, "previews.read", `/previews/${previewShareId}`)
    return Effect.map(Effect.all([ask(by(read, "a")), ask(by(read, "b"))]), (previews) =>
      holds(previews) ? registered : answer
    )
  })

/** Which preview and which repository a run may name. */
export const groundMutants: MutantTable = {
  "runs.register.foreign-preview-taken": [
    "A registration that names another account's preview is accepted, for that account.",
    "runs.register.foreign-preview",
    forB((refusal, done) => (isDone(done) ? done : refusal))
  ],
  "runs.register.foreign-preview-stored": [
    "A registration that names another account's preview is refused, and stored for that account.",
    "runs.register.foreign-preview",
    forB((refusal) => refusal)
  ],
  "runs.register.unknown-preview-taken": [
    "A registration that names a preview that doesn't exist is accepted.",
    "runs.register.unknown-preview",
    takenIf((previews) => !previews.some(isDone))
  ],
  "runs.register.not-uploaded-taken": [
    "A registration that names a preview is accepted before the preview is uploaded.",
    "runs.register.not-uploaded",
    takenIf((previews) => previews.some(({ json }) => members(json).status === "uploading"))
  ],
  "runs.register.unlinked-taken": [
    "A registration for a repository that is linked to no account is accepted.",
    "runs.register.unlinked-repository",
    inTheLinkedOne(at("runs.register", ({ fields }, target) => isUnlinked(fields.owner, fields.repo, target)))
  ],
  "runs.register.foreign-taken": [
    "A registration for another account's repository is accepted.",
    "runs.register.foreign-repository",
    inTheLinkedOne(
      at(
        "runs.register",
        (call, { config }) => accountOf(call) === "a" && call.fields.owner === config.accounts.b.linked.owner
      )
    )
  ]
}
