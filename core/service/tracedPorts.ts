import { Context, Effect, Layer } from "effect"
import { mapPorts, ports, type Ports } from "../ports/registry.ts"
import { inSpan } from "./inSpan.ts"

/**
 * The member of a port, with a span of that name around each call, if the host has its own tracer. A member that is not an effect,
 * such as a number, is unchanged.
 */
const spanned = (name: string, member: unknown): unknown => {
  const around = (made: unknown) => (Effect.isEffect(made) ? inSpan(name)(made) : made)
  return typeof member === "function" ? (...given: ReadonlyArray<unknown>) => around(member(...given)) : around(member)
}

/** The port as it is given, with a span around each call: `AccountStore.insert`. */
const traced = (implementation: object, port: string): object => {
  const members = Object.entries(implementation).map(([member, value]) => [
    member,
    { value: spanned(`${port}.${member}`, value), enumerable: true }
  ])
  return Object.create(implementation, Object.fromEntries(members))
}

/** Every port as it is given, with a span around each call, for any engine. */
export const layerTracedPorts = Layer.effectContext(
  Effect.map(Effect.context<Ports>(), (given) => mapPorts(Context.pick(...ports)(given), traced))
)
