import { Effect, Fiber } from "effect"

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const waits: ReadonlyArray<Effect.Effect<void>> = [
  ...Array.from({ length: 8 }, (_, times) => Effect.replicateEffect(Effect.yieldNow, times, { discard: true })),
  ...[1, 2, 3, 5, 8, 13].map((times) => Effect.replicateEffect(turn, times, { discard: true }))
]

/**
 * Interrupts an attempt at many moments: at once, after its first step, and so on until it may have ended. Each attempt
 * starts from new; `check` asserts what has to hold afterwards.
 */
export const wheneverInterrupted = <B, E, R, E2, E3, R3>(
  attempt: Effect.Effect<{ readonly run: Effect.Effect<B, E2>; readonly check: Effect.Effect<void, E3, R3> }, E, R>
) =>
  Effect.forEach(
    waits,
    Effect.fnUntraced(function* (wait) {
      const { check, run } = yield* attempt
      const fiber = yield* Effect.forkChild(run)
      yield* wait
      yield* Fiber.interrupt(fiber)
      yield* check
    }),
    { discard: true }
  )
