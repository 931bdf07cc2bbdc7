import { Effect, Exit, Layer, Option } from "effect"
import { InsufficientStorage, Unavailable } from "../../../core/model/Problem.ts"
import { aroundCalls, type Ports } from "../../../core/ports/registry.ts"
import { callDuration, callFailures, callsInFlight, readGauge, registryOf } from "./metrics.ts"

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
  Effect.gen(function* () {
    const given = yield* Effect.context<Ports>()
    const context = registryOf(given)
    const open = { database: 0, "object store": 0 }
    yield* readGauge(callsInFlight("database"), () => open.database)
    yield* readGauge(callsInFlight("object store"), () => open["object store"])
    return aroundCalls(given, (port, method) => {
      const duration = callDuration(port, method)
      const engine = port === "ObjectStore" ? "object store" : "database"
      return (call) =>
        Effect.suspend(() => {
          const began = performance.now()
          open[engine] += 1
          return Effect.onExitPrimitive(call, (exit) => {
            open[engine] -= 1
            duration.updateUnsafe((performance.now() - began) / 1000, context)
            const reason = reasonOf(exit)
            if (reason !== undefined) callFailures(port, method, reason).updateUnsafe(1, context)
            return undefined
          })
        })
    })
  })
)
