import { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import { accountOf, by, reading, saying } from "../parts/Call.ts"
import type { Call } from "../parts/Call.ts"
import type { Ask, Front } from "../parts/Front.ts"
import { answer, answering, asking, at, goingOn, isDone } from "../parts/fronts.ts"
import type { Where } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"

const register = at("runs.register")

const registered = answer(201, {
  id: "1",
  previewUrl: "http://reference.example/previews/1",
  traceUrl: "http://reference.example/runs/1"
})

/** Registers for account b, in its repository, what isn't to be found, and answers what `told` makes of both answers. */
const forB = (told: (refusal: Answer, done: Answer) => Answer): Front =>
  goingOn(register, (refusal, call, ask, { config }) =>
    refusal.status === 404
      ? Effect.map(ask(saying(by(call, "b"), config.accounts.b.linked)), (done) => told(refusal, done))
      : Effect.succeed(refusal)
  )

/** Registers in account a's linked repository instead. */
const inTheLinkedOne = (where: Where): Front =>
  asking(where, (call, { config }) => saying(call, config.accounts.a.linked))

/** Whether nobody has a preview with the shareId that a registration names. */
const namesNothing = Effect.fnUntraced(function* (call: Call, ask: Ask) {
  const read = reading(call, "previews.read", `/previews/${String(call.fields.previewShareId)}`)
  const answers = [yield* ask(by(read, "a")), yield* ask(by(read, "b"))]
  return !answers.some(isDone)
})

/** Which preview and which repository a run may name. */
export const groundMutants: ReadonlyArray<Mutant> = [
  {
    id: "runs.register.foreign-preview-taken",
    fault: "A registration that names another account's preview is taken, for that account.",
    caughtBy: ["runs.register.foreign-preview"],
    front: forB((refusal, done) => (isDone(done) ? done : refusal))
  },
  {
    id: "runs.register.foreign-preview-stored",
    fault: "A registration that names another account's preview is refused, and stored for that account.",
    caughtBy: ["runs.register.foreign-preview"],
    front: forB((refusal) => refusal)
  },
  {
    id: "runs.register.unknown-preview-taken",
    fault: "A registration that names a preview which was never made is taken.",
    caughtBy: ["runs.register.unknown-preview"],
    front: goingOn(register, (answer, call, ask) =>
      answer.status === 404
        ? Effect.map(namesNothing(call, ask), (isUnknown) => (isUnknown ? registered : answer))
        : Effect.succeed(answer)
    )
  },
  {
    id: "runs.register.not-uploaded-taken",
    fault: "A registration that names a preview is taken before the preview is uploaded.",
    caughtBy: ["runs.register.not-uploaded"],
    front: answering(register, (answer) => (answer.status === 409 ? registered : answer))
  },
  {
    id: "runs.register.unlinked-taken",
    fault: "A registration for a repository that nobody linked is taken.",
    caughtBy: ["runs.register.unlinked-repository"],
    front: inTheLinkedOne(
      at("runs.register", ({ fields }, { config }) => fields.owner === config.accounts.a.unlinked.owner)
    )
  },
  {
    id: "runs.register.foreign-taken",
    fault: "A registration for another account's repository is taken.",
    caughtBy: ["runs.register.foreign-repository"],
    front: inTheLinkedOne(
      at(
        "runs.register",
        (call, { config }) => accountOf(call) === "a" && call.fields.owner === config.accounts.b.linked.owner
      )
    )
  }
]
