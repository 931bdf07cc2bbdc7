import { Effect, Layer } from "effect"
import { aroundCalls, type Ports } from "../ports/registry.ts"
import { inChildSpan } from "./inSpan.ts"

/** Every port as it is given, with a span around each call, such as `AccountStore.insert`, within another span. */
export const layerTracedPorts = Layer.effectContext(
  Effect.map(Effect.context<Ports>(), (given) => aroundCalls(given, (port, method) => inChildSpan(`${port}.${method}`)))
)
