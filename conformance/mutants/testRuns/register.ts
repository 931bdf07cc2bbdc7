import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { accountOf, by, reading, saying, type Call } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { type MutantTable } from "../parts/Mutant.ts"
import {
  answer,
  asking,
  at,
  changingFields,
  continuing,
  isDone,
  lacking,
  like,
  present,
  refusing,
  sayingInstead,
  type Where
} from "../parts/fronts.ts"
import { isUnlinked } from "../parts/isolation.ts"
import { members } from "../parts/json.ts"

/** Refuses registrations like this. */
const refusingLike = (pattern: Parameters<typeof like>[1]): Front => refusing(like("runs.register", pattern))

/** Which registrations are accepted. */
export const registerMutants: MutantTable = {
  "register.failure-message-refused": [
    "A registration with a failureMessage is refused.",
    ["register.every-field", "register.zeros"],
    refusingLike({ failureMessage: present })
  ],
  "register.failure-message-required": [
    "A registration with the status `failed` is refused without a failureMessage.",
    [
      "register.without-failure-fields",
      "status.other-word",
      "list.other-filters",
      "list.newest-of-many",
      "list.newest-first",
      "list.equal-runs"
    ],
    refusingLike({ status: "failed", failureMessage: undefined })
  ],
  "register.no-steps-refused": [
    "A registration with a stepCount of 0 is refused.",
    "register.zeros",
    refusingLike({ stepCount: 0 })
  ],
  "register.first-step-refused": [
    "A registration with a failedStepIndex of 0 is refused.",
    "register.zeros",
    refusingLike({ failedStepIndex: 0 })
  ],
  "kind.detox-refused": [
    "A Detox run is refused.",
    ["kind.known", "list.filter-maestro", "list.filter-detox"],
    refusingLike({ kind: "detox" })
  ],
  "kind.defaults": [
    "A registration without a kind is accepted for a Maestro run.",
    "kind.required",
    sayingInstead(like("runs.register", { kind: undefined }), { kind: "maestro" })
  ],
  "kind.any": [
    "A registration with any kind is accepted.",
    "kind.other",
    sayingInstead(like("runs.register", { kind: "espresso" }), { kind: "maestro" })
  ],
  "name.required": [
    "A registration with a prompt is refused without a name.",
    "name.either",
    refusingLike({ name: undefined, prompt: present })
  ],
  "name.prompt-refused": [
    "A registration with a prompt beside the name is refused.",
    ["name.either", "register.every-field"],
    refusingLike({ name: present, prompt: present })
  ],
  "name.unnamed": [
    "A registration with neither name nor prompt is accepted.",
    "name.neither",
    sayingInstead(like("runs.register", { name: undefined, prompt: undefined }), { name: "Unnamed run" })
  ]
}

const register = at("runs.register")

const links = { previewUrl: "register.preview-url", traceUrl: "register.trace-url" }

/** The links that a registration answers. */
export const linkMutants: MutantTable = {
  ...lacking("register", "The answer to a registration", register, links),
  "register.other-host": [
    "The traceUrl that a registration answers is on another host than the previewUrl.",
    "register.viewer-host",
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

/** Accepts a registration of a preview of which a run was registered before. */
const afterOwn: Front = (ask) => {
  const known = new Set<unknown>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      const { endpoint, fields } = call
      if (endpoint !== "runs.register") return answered
      if (isDone(answered)) known.add(fields.previewShareId)
      return known.has(fields.previewShareId) && isLinkedTo(call) ? registered : answered
    })
  // A registration that is refused for another reason stays refused.
  function isLinkedTo({ fields }: Call): boolean {
    return ["maestro", "detox"].includes(String(fields.kind)) && fields.name !== undefined
  }
}

/** Accepts a registration of an own preview of which an object has arrived. */
const oncePartly: Front = (ask) => {
  const arrived = new Map<unknown, unknown>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      const { endpoint, fields, reservation } = call
      if (endpoint === "put" && isDone(answered) && reservation !== undefined) {
        arrived.set(reservation.id, accountOf(reservation.call))
      }
      if (endpoint === "previews.finalize" && isDone(answered)) arrived.delete(reservation?.id)
      const isOwn = accountOf(call) !== undefined && arrived.get(fields.previewShareId) === accountOf(call)
      return endpoint === "runs.register" && isOwn && !isDone(answered) ? registered : answered
    })
}

/** Which preview and which repository a run may name. */
export const groundMutants: MutantTable = {
  "register.foreign-preview-taken": [
    "A registration that names another account's preview is accepted, for that account.",
    "register.foreign-preview",
    forB((refusal, done) => (isDone(done) ? done : refusal))
  ],
  "register.foreign-after-own": [
    "Any account may register a run of a preview once its own account has registered one.",
    "register.foreign-preview",
    afterOwn
  ],
  "register.partly-uploaded-taken": [
    "A registration that names a preview is accepted once a part of the preview is uploaded.",
    "register.not-uploaded",
    oncePartly
  ],
  "register.foreign-preview-stored": [
    "A registration that names another account's preview is refused, and stored for that account.",
    "register.foreign-preview",
    forB((refusal) => refusal)
  ],
  "register.unknown-preview-taken": [
    "A registration that names a preview that doesn't exist is accepted.",
    "register.unknown-preview",
    takenIf((previews) => !previews.some(isDone))
  ],
  "register.not-uploaded-taken": [
    "A registration that names a preview is accepted before the preview is uploaded.",
    "register.not-uploaded",
    takenIf((previews) => previews.some(({ json }) => members(json).status === "uploading"))
  ],
  "register.unlinked-taken": [
    "A registration for a repository that is linked to no account is accepted.",
    "register.unlinked-repository",
    inTheLinkedOne(at("runs.register", ({ fields }, target) => isUnlinked(fields.owner, fields.repo, target)))
  ],
  "register.foreign-taken": [
    "A registration for another account's repository is accepted.",
    "register.foreign-repository",
    inTheLinkedOne(
      at(
        "runs.register",
        (call, { config }) => accountOf(call) === "a" && call.fields.owner === config.accounts.b.linked.owner
      )
    )
  ]
}
