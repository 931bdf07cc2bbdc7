import { Effect, Tracer } from "effect"

/**
 * Runs an effect in a span of that name, if the host has its own tracer. `Effect.fn` captures a stack and makes a span with each
 * call even without a tracer, which is expensive.
 */
export const inSpan =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Tracer.Tracer, (tracer): Effect.Effect<A, E, R> =>
      tracer === Tracer.nativeTracer ? effect : Effect.withSpan(effect, name, { captureStackTrace: false })
    )
