import { Context, Effect, Layer, Option, Tracer } from "effect"
import { aroundCalls, ports, type Ports } from "../ports/registry.ts"

/** Runs an effect in a span, if the host has its own tracer and `isWanted`. */
const inSpanIf =
  (name: string, isWanted: (parent: Tracer.AnySpan | undefined) => boolean, options?: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber(({ context }) =>
      Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer &&
      isWanted(Context.getOrUndefined(context, Tracer.ParentSpan))
        ? Effect.withSpan(effect, name, { ...options, captureStackTrace: false })
        : effect
    )

/**
 * Runs an effect in a span of that name, if the host has its own tracer. Methods that requests call use it: `Effect.fn` captures a
 * stack and makes a span with each call even without a tracer, which is expensive.
 */
export const inSpan = (name: string, options?: Tracer.SpanOptionsNoTrace) => inSpanIf(name, () => true, options)

/** The same, but only within another span: what a host does in the background every second is no trace of its own. */
const inChildSpan = (name: string) => inSpanIf(name, (parent) => parent !== undefined)

const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span at hand as a `traceparent` of W3C Trace Context, if the host has its own tracer. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.gen(function* () {
  const span = Option.getOrUndefined(yield* Effect.serviceOption(Tracer.ParentSpan))
  if (span === undefined || (yield* Tracer.Tracer) === Tracer.nativeTracer) return undefined
  return `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
})

/** The span that a `traceparent` names, to be the parent of another one. */
export const spanOfTraceparent = (text: string | undefined): Tracer.AnySpan | undefined => {
  const [, traceId, spanId, flags = "00"] = traceparent.exec(text ?? "") ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

/** Every port as it is given. If the host has a tracer, each call has a span within another one, such as `AccountStore.insert`. */
export const layerTracedPorts = Layer.effectContext(
  Effect.gen(function* () {
    const given = yield* Effect.context<Ports>()
    return (yield* Tracer.Tracer) === Tracer.nativeTracer
      ? Context.pick(...ports)(given)
      : aroundCalls(given, (port, method) => inChildSpan(`${port}.${method}`))
  })
)
