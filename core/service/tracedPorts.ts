import { Context, Effect, Layer, Tracer } from "effect"
import { aroundCalls, ports, type Ports } from "../ports/registry.ts"
import { inChildSpan } from "./inSpan.ts"

/** Every port as it is given. If the host has a tracer, each call has a span within another one, such as `AccountStore.insert`. */
export const layerTracedPorts = Layer.effectContext(
  Effect.gen(function* () {
    const given = yield* Effect.context<Ports>()
    return (yield* Tracer.Tracer) === Tracer.nativeTracer
      ? Context.pick(...ports)(given)
      : aroundCalls(given, (port, method) => inChildSpan(`${port}.${method}`))
  })
)
