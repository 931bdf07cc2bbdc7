import { Effect } from "effect"

/** The longest that one turn of the event loop has taken so far, in milliseconds of this thread's CPU time. */
const watchLoop = () => {
  const now = () => {
    const { system, user } = process.threadCpuUsage()
    return (system + user) / 1000
  }
  let last = now()
  let longest = 0
  const turn = () => {
    const at = now()
    longest = Math.max(longest, at - last)
    last = at
  }
  let next = setImmediate(function again() {
    turn()
    next = setImmediate(again)
  })
  return () => {
    clearImmediate(next)
    turn()
    return longest
  }
}

/**
 * Runs an effect and measures the longest turn of the event loop meanwhile, in milliseconds of this thread's CPU time,
 * so other processes don't count. The test's own work in a turn counts too, so create large bodies beforehand.
 */
export const measureLoopHold = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const longest = watchLoop()
    const result = yield* Effect.onExit(effect, () => Effect.sync(longest))
    return { result, heldMs: longest() }
  })

/**
 * The shortest of three measurements, so that a first compilation or a garbage collection doesn't decide. Stops at the
 * first one within `boundMs`.
 */
export const shortestLoopHold = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  boundMs: number
): Effect.fn.Return<number, E, R> {
  let shortest = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3 && shortest > boundMs; round++) {
    const { heldMs } = yield* measureLoopHold(effect)
    shortest = Math.min(shortest, heldMs)
  }
  return shortest
})
