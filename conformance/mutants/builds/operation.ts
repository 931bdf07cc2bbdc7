import { Effect } from "effect"
import { saying } from "../parts/Call.ts"
import type { Call } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { asking, at, goingOn } from "../parts/fronts.ts"
import type { Where } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"

const otherOperation: Where = at("builds.finalize", ({ fields }) => fields.operation !== "finalize")
const noOperation: Where = at("builds.reserve", ({ fields }) => fields.token !== undefined)

const asFinalize = (call: Call): Call => saying(call, { operation: "finalize" })

const doneAllTheSame = (where: Where): Front =>
  goingOn(where, (refusal, call, ask) => Effect.as(ask(asFinalize(call)), refusal))

/** Which body finalizes a build. */
export const operationMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.finalize.any-operation",
    fault: "A token finalizes with any operation.",
    caughtBy: ["builds.finalize.other-operation"],
    front: asking(otherOperation, asFinalize)
  },
  {
    id: "builds.finalize.any-operation-done",
    fault: "A token with another operation is refused, and finalizes all the same.",
    caughtBy: ["builds.finalize.other-operation"],
    front: doneAllTheSame(otherOperation)
  },
  {
    id: "builds.finalize.by-token-alone",
    fault: "A token finalizes without an operation.",
    caughtBy: ["builds.finalize.no-operation"],
    front: asking(noOperation, asFinalize)
  },
  {
    id: "builds.finalize.by-token-alone-done",
    fault: "A token without an operation is refused, and finalizes all the same.",
    caughtBy: ["builds.finalize.no-operation"],
    front: doneAllTheSame(noOperation)
  }
]
