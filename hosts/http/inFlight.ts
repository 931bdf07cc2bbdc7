import { Context, Effect, Fiber, Latch, Scope, type Duration } from "effect"

/** Counts the requests that are being answered, each until the end of its response. */
export const makeInFlight = () => {
  const open = new Set<Fiber.Fiber<unknown, unknown>>()
  const idle = Latch.makeUnsafe(true)
  return {
    /** Counts a request until its scope closes. */
    counted: <A, E, R>(app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope.Scope> =>
      Effect.withFiber((fiber) => {
        open.add(fiber)
        idle.closeUnsafe()
        const end = Effect.sync(() => {
          open.delete(fiber)
          if (open.size === 0) idle.openUnsafe()
        })
        return Effect.flatMap(Scope.addFinalizer(Context.getUnsafe(fiber.context, Scope.Scope), end), () => app)
      }),
    /** Waits until no request is left, and interrupts those that take longer. */
    finish: (timeout: Duration.Input): Effect.Effect<void> =>
      Effect.timeoutOrElse(idle.await, {
        duration: timeout,
        orElse: () => Fiber.interruptAll([...open])
      })
  }
}
