import { Effect, Layer } from "effect"
import { aroundCalls, type Ports } from "../ports/registry.ts"
import { inSpan } from "./inSpan.ts"

/** Every port as it is given, with a span around each call, such as `AccountStore.insert`, if the host has its own tracer. */
export const layerTracedPorts = Layer.effectContext(
  Effect.map(Effect.context<Ports>(), (given) => aroundCalls(given, (port, method) => inSpan(`${port}.${method}`)))
)
