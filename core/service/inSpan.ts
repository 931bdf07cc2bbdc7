import { Effect, Tracer } from "effect"

/**
 * Runs an effect in a span of that name, if a tracer of the host's own is there to see it. `Effect.fn` takes a stack and makes a
 * span with each call, whether or not anybody sees them: some 5 µs each, and a reserve has a dozen.
 */
export const inSpan =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Tracer.Tracer, (tracer): Effect.Effect<A, E, R> =>
      tracer === Tracer.nativeTracer ? effect : Effect.withSpan(effect, name, { captureStackTrace: false })
    )
