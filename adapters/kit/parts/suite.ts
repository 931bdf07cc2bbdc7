import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import type { Vitest } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { makeWatch, openBesideTheEngine, openHandles } from "./leaks.ts"

/**
 * An adapter as a suite takes it: a layer of its ports, which is built anew for every case and closed after it. What is
 * built holds nothing yet.
 *
 * Where building takes long, `shared` is built once for the suite, and `each` on top of it for every case: a new schema
 * in a database that is running, a new prefix in a bucket.
 */
export type Adapter<R, S = never> =
  | Layer.Layer<R, unknown>
  | { readonly shared: Layer.Layer<S, unknown>; readonly each: Layer.Layer<R, unknown, S> }

/** Where the cases of a suite are declared. Each is given a store of its own, and the time of day. */
export interface Cases<R> {
  readonly effect: Vitest.Test<R | Scope.Scope> & Pick<Vitest.Tester<R | Scope.Scope>, "each" | "runIf">
  /** Declares cases on what `layer` makes of the store. */
  readonly through: <R2>(layer: Layer.Layer<R2, unknown, R>) => Cases<R | R2>
}

type Run<R> = Effect.Effect<unknown, unknown, R | Scope.Scope>

const casesIn = <R>(alone: (run: Run<R>) => Effect.Effect<unknown, unknown>): Cases<R> => {
  const declare =
    (test: Vitest.Test<never>): Vitest.Test<R | Scope.Scope> =>
    (name, run, options) =>
      test(name, (context) => alone(Effect.suspend(() => run(context))), options)
  const each: Cases<R>["effect"]["each"] = (all) => (name, run, options) =>
    it.live.each(all)(name, (one, context) => alone(Effect.suspend(() => run(one, context))), options)
  return {
    effect: Object.assign(declare(it.live), { each, runIf: (condition: unknown) => declare(it.live.runIf(condition)) }),
    through: (layer) => casesIn((run) => alone(Effect.provide(run, layer)))
  }
}

const suiteOn = <R, S>(
  name: string,
  { each, shared }: { readonly shared: Layer.Layer<S, unknown>; readonly each: Layer.Layer<R, unknown, S> },
  open: typeof openHandles,
  cases: (it: Cases<R>) => void
): void => {
  const scope = Scope.makeUnsafe()
  const { assertAllGivenBack, assertClosed } = makeWatch()
  const engine = Effect.runSync(Effect.cached(Layer.buildWithScope(shared, scope)))

  /** Runs a case on a store that is new, and fails it when it leaves something open. */
  const alone = (run: Run<R>) =>
    Effect.gen(function* () {
      const context = yield* engine
      const before = yield* open
      yield* run.pipe(
        Effect.scoped,
        Effect.andThen(assertAllGivenBack),
        Effect.provide(Layer.fresh(each)),
        Effect.provide(context)
      )
      yield* assertClosed(before, open)
    })

  describe(name, () => {
    let before: ReadonlyArray<string> = []
    beforeAll(() => {
      before = Effect.runSync(openHandles)
    })
    afterAll(() => Effect.runPromise(Effect.andThen(Scope.close(scope, Exit.void), assertClosed(before, openHandles))))
    cases(casesIn(alone))
  })
}

/**
 * Declares a suite. Each of its cases is run on a store of its own, and fails by its name when it leaves something open:
 * see `leaks.ts`.
 */
export const suite = <R, S = never>(name: string, adapter: Adapter<R, S>, cases: (it: Cases<R>) => void): void =>
  "shared" in adapter
    ? suiteOn(name, adapter, openBesideTheEngine, cases)
    : suiteOn(name, { shared: Layer.empty, each: adapter }, openHandles, cases)
