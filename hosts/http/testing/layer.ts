import * as effectVitest from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"

type Run<R> = Effect.Effect<unknown, unknown, R>

/** What a test does: an effect, or a generator as `Effect.gen` takes it. */
type Steps<R, Args extends ReadonlyArray<unknown> = []> = (...args: Args) => Run<R> | Generator<Run<R>, unknown, never>

const runOf = <R, Args extends ReadonlyArray<unknown>>(steps: Steps<R, Args>, ...args: Args): Run<R> =>
  Effect.suspend(() => {
    const made = steps(...args)
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

/** Declares a test of `@effect/vitest`, which may be a generator. */
const declaring = <R>(test: effectVitest.Vitest.Tester<R>) =>
  Object.assign((name: string, steps: Steps<R>) => test(name, () => runOf(steps)), {
    each:
      <T>(values: ReadonlyArray<T>) =>
      (name: string, steps: Steps<R, [value: T]>) =>
        test.each(values)(name, (value) => runOf(steps, value)),
    prop: test.prop
  })

export const it = { effect: declaring(effectVitest.it.effect), live: declaring(effectVitest.it.live) }

interface Tests<R> {
  readonly effect: ReturnType<typeof declaring<R | Scope.Scope>>
}

/** Declares tests on a layer that they share, with the test's clock. */
export const layer =
  <R, E>(shared: Layer.Layer<R, E>) =>
  (name: string, tests: (it: Tests<R>) => void): void =>
    effectVitest.layer(shared)(name, ({ effect }) => tests({ effect: declaring(effect) }))
