import { saying } from "../parts/Call.ts"
import { asking, at, refusing } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"

const registering = (when: Parameters<typeof at>[1]) => at("runs.register", when)

/** What a registration takes. */
export const registerMutants: ReadonlyArray<Mutant> = [
  {
    id: "runs.register.failure-message-refused",
    fault: "A registration with a failureMessage is refused.",
    caughtBy: ["runs.register.every-field"],
    front: refusing(registering(({ fields }) => fields.failureMessage !== undefined))
  },
  {
    id: "runs.register.failure-message-required",
    fault: "A registration with the status `failed` is refused without a failureMessage.",
    caughtBy: ["runs.register.without-failure-fields", "runs.status.other-word", "runs.list.other-filters"],
    front: refusing(registering(({ fields }) => fields.status === "failed" && fields.failureMessage === undefined))
  },
  {
    id: "runs.kind.detox-refused",
    fault: "A Detox run is refused.",
    caughtBy: ["runs.kind.known", "runs.list.filter-maestro", "runs.list.filter-detox"],
    front: refusing(registering(({ fields }) => fields.kind === "detox"))
  },
  {
    id: "runs.kind.defaults",
    fault: "A registration without a kind is taken for a Maestro run.",
    caughtBy: ["runs.kind.required"],
    front: asking(
      registering(({ fields }) => fields.kind === undefined),
      (call) => saying(call, { kind: "maestro" })
    )
  },
  {
    id: "runs.kind.any",
    fault: "A registration of any kind is taken.",
    caughtBy: ["runs.kind.other"],
    front: asking(
      registering(({ fields }) => fields.kind === "espresso"),
      (call) => saying(call, { kind: "maestro" })
    )
  },
  {
    id: "runs.name.required",
    fault: "A registration with a prompt is refused without a name.",
    caughtBy: ["runs.name.either"],
    front: refusing(registering(({ fields }) => fields.name === undefined && fields.prompt !== undefined))
  },
  {
    id: "runs.name.prompt-refused",
    fault: "A registration with a prompt beside the name is refused.",
    caughtBy: ["runs.name.either", "runs.register.every-field"],
    front: refusing(registering(({ fields }) => fields.name !== undefined && fields.prompt !== undefined))
  },
  {
    id: "runs.name.unnamed",
    fault: "A registration with neither name nor prompt is taken.",
    caughtBy: ["runs.name.neither"],
    front: asking(
      registering(({ fields }) => fields.name === undefined && fields.prompt === undefined),
      (call) => saying(call, { name: "Unnamed run" })
    )
  }
]
