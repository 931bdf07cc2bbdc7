import { Effect, Exit, Layer, Option } from "effect"
import { InsufficientStorage, Unavailable } from "../../../core/model/Problem.ts"
import { aroundCalls, type Ports } from "../../../core/ports/registry.ts"
import { callDuration, callFailures, callsInFlight } from "./metrics.ts"

/** Why a call had no usable answer; `undefined` if it had one, such as a conflict. */
const reasonOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit) || Exit.hasInterrupts(exit)) return undefined
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return "fault"
  if (error instanceof Unavailable) return "unavailable"
  return error instanceof InsufficientStorage ? "no space" : undefined
}

/** Every port as it is given, with the duration and the failures of each call in the metrics. */
export const layerMeasuredPorts = Layer.effectContext(
  Effect.map(Effect.context<Ports>(), (given) =>
    aroundCalls(given, (port, method) => {
      const duration = callDuration(port, method)
      const inFlight = callsInFlight(port === "ObjectStore" ? "object store" : "database")
      return (call) =>
        Effect.suspend(() => {
          const began = performance.now()
          inFlight.modifyUnsafe(1, given)
          return Effect.onExitPrimitive(call, (exit) => {
            inFlight.modifyUnsafe(-1, given)
            duration.updateUnsafe((performance.now() - began) / 1000, given)
            const reason = reasonOf(exit)
            if (reason !== undefined) callFailures(port, method, reason).updateUnsafe(1, given)
            return undefined
          })
        })
    })
  )
)
