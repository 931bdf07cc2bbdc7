import * as effectVitest from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"

type Run<R> = Effect.Effect<unknown, unknown, R | Scope.Scope>

/** What a test does: an effect, or a generator as `Effect.gen` takes it. */
type Steps<R, Args extends ReadonlyArray<unknown> = []> = (...args: Args) => Run<R> | Generator<Run<R>, unknown, never>

interface Tests<R> {
  readonly effect: ((name: string, steps: Steps<R>) => void) & {
    readonly each: <T>(values: ReadonlyArray<T>) => (name: string, steps: Steps<R, [value: T]>) => void
    readonly prop: effectVitest.Vitest.Tester<R | Scope.Scope>["prop"]
  }
}

const runOf = <R, Args extends ReadonlyArray<unknown>>(steps: Steps<R, Args>, ...args: Args): Run<R> =>
  Effect.suspend(() => {
    const made = steps(...args)
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

/** Declares tests on a layer that they share, with the test's clock: `layer` of `@effect/vitest`, whose tests may be generators. */
export const layer =
  <R, E>(shared: Layer.Layer<R, E>) =>
  (name: string, tests: (it: Tests<R>) => void): void =>
    effectVitest.layer(shared)(name, ({ effect }) =>
      tests({
        effect: Object.assign((name: string, steps: Steps<R>) => effect(name, () => runOf(steps)), {
          each:
            <T>(values: ReadonlyArray<T>) =>
            (name: string, steps: Steps<R, [value: T]>) =>
              effect.each(values)(name, (value) => runOf(steps, value)),
          prop: effect.prop
        })
      })
    )
