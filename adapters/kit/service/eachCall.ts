import { assert } from "@effect/vitest"
import { Cause, Effect, Result } from "effect"
import { Unavailable } from "../../../core/model/Problem.ts"
import { Faults, type Fault } from "../parts/injectFaults.ts"

/**
 * Plays a scene once for every call of the stores that it makes and every fault that the call can have, each time in a
 * new world. The scene must succeed or fail with `Unavailable`. `then` asserts what has to hold afterwards, when
 * nothing fails any more.
 */
const forEachCall =
  (faultsOf: (method: string) => ReadonlyArray<Fault>) =>
  <W, E2, R2, A, E, R, Step extends Effect.Effect<unknown, unknown, unknown>>(
    begin: Effect.Effect<W, E2, R2>,
    act: (world: W) => Effect.Effect<A, E, R>,
    then: (world: W, result: Result.Result<A, E | Unavailable>) => Generator<Step, void, never>
  ) =>
    Effect.gen(function* () {
      const faults = yield* Faults
      const rehearsal = yield* Effect.flatMap(begin, (world) => faults.during(() => undefined)(act(world)))
      assert.isAbove(rehearsal.calls.length, 0, "calls of the stores")
      for (const { method, nth } of rehearsal.calls) {
        for (const fault of faultsOf(method)) {
          const world = yield* begin
          const { answer: result, unplanned } = yield* faults.during((call) => (call.nth === nth ? fault : undefined))(
            Effect.result(act(world))
          )
          const where = [`with ${fault} at call ${nth}, of ${method}`, ...unplanned].join("; ")
          if (Result.isFailure(result)) assert.instanceOf(result.failure, Unavailable, where)
          yield* Effect.catchCause(
            Effect.gen(() => then(world, result)),
            (cause) => Effect.die(new Error(where, { cause: Cause.squash(cause) }))
          )
        }
      }
    })

/** Each call fails once in each way that it can. */
export const failEachCall = forEachCall((method) =>
  method === "ObjectStore.read" ? ["before", "after", "midStream"] : ["before", "after"]
)

/** Each call is late once, so that others overtake it. */
export const delayEachCall = forEachCall(() => ["late"])
