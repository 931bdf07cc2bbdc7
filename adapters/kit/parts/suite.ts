import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope, type Context } from "effect"
import { withKeptLog } from "./keptLog.ts"
import { makeWatch, openHandlesOutsideEngine, openHandles } from "./leaks.ts"

/**
 * An adapter as a suite takes it: a layer of its ports, which is built for every case and closed after it. It must hold
 * nothing when it is built.
 *
 * Where building takes long, `shared` is built once for the suite and `each` on top of it for every case: a new schema
 * in a running database, a new prefix in a bucket.
 */
export type Adapter<R, S = never> =
  | Layer.Layer<R, unknown>
  | {
      readonly shared: Layer.Layer<S, unknown>
      readonly each: Layer.Layer<R, unknown, S>
      /** The ports of another host on the engine of the case, where an engine can have several. */
      readonly another?: Layer.Layer<R, unknown, S>
    }

/** What a case does. */
export type Run<R> = Effect.Effect<unknown, unknown, R | Scope.Scope>

/** What a case does: an effect, or a generator as `Effect.gen` takes it. */
type Steps<R, Args extends ReadonlyArray<unknown> = []> = (...args: Args) => Run<R> | Generator<Run<R>, unknown, never>

type Declare<R> = (name: string, steps: Steps<R>) => void

/** Declares the cases of a suite. Each case gets a new store and the real clock. */
export interface Cases<R> {
  readonly effect: Declare<R> & {
    readonly each: <T>(values: ReadonlyArray<T>) => (name: string, steps: Steps<R, [value: T]>) => void
    readonly runIf: (condition: boolean) => Declare<R>
  }
  /** Declares cases whose names begin with that of the section. */
  readonly section: (name: string, cases: () => void) => void
  /** Declares a case that gets the ports of another host on the same engine, for adapters that have one. */
  readonly onTwoHosts: (name: string, steps: Steps<R, [other: Context.Context<R>]>) => void
  /** Declares cases on what `layer` makes of the store. */
  readonly through: <R2>(layer: Layer.Layer<R2, unknown, R>) => Cases<R | R2>
}

const runOf = <R, Args extends ReadonlyArray<unknown>>(steps: Steps<R, Args>, ...args: Args): Run<R> =>
  Effect.suspend(() => {
    const made = steps(...args)
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

/** Declares tests: vitest, or what runs the cases of a suite without it. */
export interface Tester {
  readonly testIf: (condition: boolean) => (name: string, run: () => Effect.Effect<unknown, unknown>) => void
  readonly testEach: <T>(
    values: ReadonlyArray<T>
  ) => (name: string, run: (value: T) => Effect.Effect<unknown, unknown>) => void
  readonly section: (name: string, cases: () => void) => void
}

const vitest: Tester = { testIf: it.live.runIf, testEach: it.live.each, section: describe }

/** The cases of a suite as tests. `alone` runs a case on a store of its own, `another` is another host on it. */
export const casesIn = <R>(
  tester: Tester,
  alone: (run: Run<R>) => Effect.Effect<unknown, unknown>,
  another?: Effect.Effect<Context.Context<R>, unknown, Scope.Scope>
): Cases<R> => {
  const declareIf =
    (condition: boolean): Declare<R> =>
    (name, steps) =>
      tester.testIf(condition)(name, () => alone(runOf(steps)))
  return {
    effect: Object.assign(declareIf(true), {
      each:
        <T>(values: ReadonlyArray<T>) =>
        (name: string, steps: Steps<R, [value: T]>) =>
          tester.testEach(values)(name, (value) => alone(runOf(steps, value))),
      runIf: declareIf
    }),
    section: tester.section,
    onTwoHosts: (name, steps) =>
      tester.testIf(another !== undefined)(name, () =>
        alone(Effect.flatMap(another ?? Effect.die("There is no other host."), (other) => runOf(steps, other)))
      ),
    through: (layer) => casesIn(tester, (run) => alone(Effect.provide(run, layer)))
  }
}

const suiteOn = <R, S>(
  name: string,
  { another, each, shared }: Exclude<Adapter<R, S>, Layer.Layer<R, unknown>>,
  open: typeof openHandles,
  cases: (it: Cases<R>) => void
): void => {
  const scope = Scope.makeUnsafe()
  const { assertAllGivenBack, assertClosed } = makeWatch()
  const engine = Effect.runSync(Effect.cached(Layer.buildWithScope(shared, scope)))

  const other =
    another && Effect.flatMap(engine, (context) => Effect.provide(Layer.build(Layer.fresh(another)), context))

  /** Runs a case on a new store, and fails it when it leaves something open. */
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
    }).pipe(withKeptLog)

  describe(name, () => {
    let before: ReadonlyArray<string> = []
    beforeAll(() => {
      before = Effect.runSync(openHandles)
    })
    afterAll(() => Effect.runPromise(Effect.andThen(Scope.close(scope, Exit.void), assertClosed(before, openHandles))))
    cases(casesIn(vitest, alone, other))
  })
}

/** Declares a suite. Each case runs on a new store and fails when it leaves something open: see `leaks.ts`. */
export const suite = <R, S = never>(name: string, adapter: Adapter<R, S>, cases: (it: Cases<R>) => void): void =>
  "shared" in adapter
    ? suiteOn(name, adapter, openHandlesOutsideEngine, cases)
    : suiteOn(name, { shared: Layer.empty, each: adapter }, openHandles, cases)

/** The suite of one port, which takes the name of an adapter and the adapter. */
export const suiteOf =
  <R>(port: string, cases: (it: Cases<R>) => void) =>
  <S = never>(name: string, adapter: Adapter<R, S>): void =>
    suite(`${port} on ${name}`, adapter, cases)
