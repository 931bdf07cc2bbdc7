import { Effect } from "effect"

/** Waits for the next turn of the event loop, in which the process does what came meanwhile. */
export const nextTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
