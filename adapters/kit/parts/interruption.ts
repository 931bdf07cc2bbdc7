import { Context, Effect, Fiber } from "effect"
import type { Cases } from "./suite.ts"

/**
 * Runs an effect and makes the engine fail at its statement with this number, counted from 0. Answers whether the effect
 * came to that statement. The adapter's own test provides it; without it, only interruptions break commits off.
 */
export const FailingEngine = Context.Reference<
  ((nth: number, commit: Effect.Effect<unknown, unknown>) => Effect.Effect<boolean>) | undefined
>("slipway/adapters/kit/FailingEngine", { defaultValue: () => undefined })

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const waits: ReadonlyArray<Effect.Effect<void>> = [
  ...Array.from({ length: 8 }, (_, times) => Effect.replicateEffect(Effect.yieldNow, times, { discard: true })),
  ...[1, 2, 3, 5, 8, 13].map((times) => Effect.replicateEffect(turn, times, { discard: true }))
]

/** Begins from new and answers a commit, and a check that asserts what has to hold however the commit ended. */
type Attempt<B, E, R, E2, E3, R3> = Effect.Effect<
  { readonly run: Effect.Effect<B, E2>; readonly check: Effect.Effect<void, E3, R3> },
  E,
  R
>

/** Interrupts an attempt at many moments: at once, after its first step, and so on until it may have ended. */
export const wheneverInterrupted = <B, E, R, E2, E3, R3>(attempt: Attempt<B, E, R, E2, E3, R3>) =>
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

/** Makes the engine fail at each statement of an attempt in turn, where the adapter's engine can be made to. */
const whereverTheEngineFails = <B, E, R, E2, E3, R3>(attempt: Attempt<B, E, R, E2, E3, R3>) =>
  Effect.gen(function* () {
    const failAt = yield* FailingEngine
    if (failAt === undefined) return
    for (let nth = 0, hasFailed = true; hasFailed; nth++) {
      const { check, run } = yield* attempt
      hasFailed = yield* failAt(nth, run)
      yield* check
    }
  })

/** Two cases of one attempt: it is interrupted, and the engine fails in its middle. */
export const assertAtomic = <B, E, R, E2, E3, R3, P>(
  it: Cases<P>,
  { failing, interrupted }: { readonly interrupted: string; readonly failing: string },
  attempt: Attempt<B, E, R & P, E2, E3, R3 & P>
) => {
  it.effect(interrupted, () => wheneverInterrupted(attempt))
  it.effect(failing, () => whereverTheEngineFails(attempt))
}
