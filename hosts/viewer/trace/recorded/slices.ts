import { Effect, Semaphore } from "effect"

const turn = Semaphore.makeUnsafe(1)

/**
 * Does a short piece of long work, after which the event loop turns. However many requests work at the same time, each
 * turn does one piece of one of them.
 */
export const slice = <A>(work: () => A): Effect.Effect<A> =>
  turn.withPermit(Effect.tap(Effect.sync(work), () => Effect.yieldNow))
