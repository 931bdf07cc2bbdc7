import * as effectVitest from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import { test } from "vitest"

type Run<R> = Effect.Effect<unknown, unknown, R>

/** What a test does: an effect, or a generator as `Effect.gen` takes it. */
type Steps<R, Args extends ReadonlyArray<unknown> = []> = (...args: Args) => Run<R> | Generator<Run<R>, unknown, never>

const runOf = <R, Args extends ReadonlyArray<unknown>>(steps: Steps<R, Args>, ...args: Args): Run<R> =>
  Effect.suspend(() => {
    const made = steps(...args)
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

/** Declares a test of `@effect/vitest`, which may be a generator. */
const declaring = <R>(tester: effectVitest.Vitest.Tester<R>) => {
  type Declare = (name: string, steps: Steps<R>) => void
  const declare: Declare = (name, steps) => tester(name, () => runOf(steps))
  return Object.assign(declare, {
    each:
      <T>(values: ReadonlyArray<T>) =>
      (name: string, steps: Steps<R, [value: T]>) =>
        tester.each(values)(name, (value) => runOf(steps, value)),
    prop: tester.prop,
    runIf: (condition: boolean): Declare => {
      const test = tester.runIf(condition)
      return (name, steps) => test(name, () => runOf(steps))
    }
  })
}

/** Vitest's own `it`, with tests that are effects. */
export const it = Object.assign(test.extend({}), {
  prop: effectVitest.it.prop,
  effect: declaring(effectVitest.it.effect),
  live: declaring(effectVitest.it.live)
})

interface Tests<R> {
  readonly effect: ReturnType<typeof declaring<R | Scope.Scope>>
}

/** Declares tests on a layer that they share, with the test's clock, unless `options` excludes it. */
export const layer =
  <R, E>(shared: Layer.Layer<R, E>, options?: Parameters<typeof effectVitest.layer>[1]) =>
  (name: string, tests: (it: Tests<R>) => void): void =>
    effectVitest.layer(shared, options)(name, ({ effect }) => tests({ effect: declaring(effect) }))
