import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Exit, Layer, Logger, Schedule, type Schema, Scope } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { readdirSync, readlinkSync } from "node:fs"
import { inspect } from "node:util"

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

/** Declares a suite. Each case runs on a new store and fails when it leaves something open: see `openHandles`. */
export const suite = <R, S = never>(name: string, adapter: Adapter<R, S>, cases: (it: Cases<R>) => void): void =>
  "shared" in adapter
    ? suiteOn(name, adapter, openHandlesOutsideEngine, cases)
    : suiteOn(name, { shared: Layer.empty, each: adapter }, openHandles, cases)

/** The suite of one port, which takes the name of an adapter and the adapter. */
// Finds what a case leaves open. While its store is open, the adapter is asked what was acquired and not released
// ({@link OpenObjects}, {@link LeakedHandles}). After the store is closed, the process is asked which files, sockets,
// servers, child processes and workers it holds that it didn't hold before.

/** How many objects the store has open, or `undefined` when that can't be known and isn't checked. */
export const OpenObjects = Context.Reference<Effect.Effect<number | undefined>>("slipway/adapters/kit/OpenObjects", {
  defaultValue: () => Effect.undefined
})

/**
 * What else was acquired from the store and not released, in words: a transaction that never ended, a connection missing
 * from its pool. The adapter's own test provides it.
 */
export const LeakedHandles = Context.Reference<Effect.Effect<ReadonlyArray<string>>>(
  "slipway/adapters/kit/LeakedHandles",
  {
    defaultValue: () => Effect.succeed([])
  }
)

/**
 * Damages the stored records of a kind with this id, or that begin with it, so that they can't be decoded. It answers whether the
 * engine can. The adapter's own test provides it.
 */
export const Damage = Context.Reference<(kind: string, id: string) => Effect.Effect<boolean>>(
  "slipway/adapters/kit/Damage",
  { defaultValue: () => () => Effect.succeed(false) }
)

/**
 * What keeps a process alive, by Node's names. Pipes and timers aren't counted, because other parts open and close
 * some.
 */
const kinds = ["MessagePort", "ProcessWrap", "TCPServerWrap", "TCPSocketWrap", "UDPWrap"]

/** Those that a shared engine may open at any time until it is closed itself. */
const kindOfEngines = "TCPSocketWrap"

/** The target of a descriptor. One that was closed in between, such as the one that lists the descriptors, has none. */
const targetOf = (descriptor: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ""
  }
}

/** The files that the process has open, where the system lists them. */
const openFiles = (): ReadonlyArray<string> =>
  process.platform === "linux"
    ? readdirSync("/proc/self/fd")
        .map(targetOf)
        .filter((target) => target.startsWith("/") && !/^\/(?:dev|proc|sys)\//.test(target))
    : []

/** The names of everything that the process holds open; what is open several times is listed several times. */
const openHandles: Effect.Effect<ReadonlyArray<string>> = Effect.sync(() => [
  ...process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)),
  ...openFiles()
])

/** The same without what may belong to an engine that cases share. */
const openHandlesOutsideEngine: typeof openHandles = Effect.map(openHandles, (all) =>
  all.filter((handle) => handle !== kindOfEngines)
)

const without = (all: ReadonlyArray<string>, some: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const handle of some) left.set(handle, (left.get(handle) ?? 0) + 1)
  return all.filter((handle) => {
    const count = left.get(handle) ?? 0
    left.set(handle, count - 1)
    return count <= 0
  })
}

/** Checks what the cases of one suite leave open. */
export const makeWatch = () => {
  // Some handles are closed just after the answer, so the check waits for them, up to four seconds in all. What was
  // reported before isn't waited for again.
  let times = 12

  const assertNothing = (left: Effect.Effect<ReadonlyArray<string>>, where: string) =>
    Effect.gen(function* () {
      const lasting = yield* Effect.repeat(left, {
        schedule: Schedule.exponential("1 millis"),
        while: (all) => all.length > 0,
        times
      })
      if (lasting.length > 0) times = 0
      assert.deepStrictEqual(lasting, [], where)
    })

  return {
    /** Asserts that `open` lists nothing that wasn't open before. */
    assertClosed: (before: ReadonlyArray<string>, open: typeof openHandles) =>
      assertNothing(
        Effect.map(open, (now) => without(now, before)),
        "left open when the store was closed; a layer is built for each case and closes what it opened"
      ),
    /** Asserts that everything that was acquired from the store was released. */
    assertAllGivenBack: Effect.gen(function* () {
      const left = Effect.zipWith(yield* OpenObjects, yield* LeakedHandles, (count = 0, others) => [
        ...Array.from({ length: count }, () => "an object"),
        ...others
      ])
      yield* assertNothing(left, "taken of the store and not given back")
    })
  }
}

/** A failure as an error with a message. */
const asError = (failure: unknown): Error => {
  if (!(failure instanceof Error)) {
    return new Error(`A call failed with ${inspect(failure)}, or succeeded with it where it had to fail.`)
  }
  return failure.message === "" ? new Error(`A call failed with ${failure.name}.`, { cause: failure }) : failure
}

/** What a case failed with, as an error with a message, and what it logged. Test runners show nothing of other failures. */
export const inWords = (failure: unknown, logged: ReadonlyArray<string> = []): Error => {
  const error = asError(failure)
  if (logged.length === 0) return error
  const message = [error.message, "The last lines of the log:", ...logged].join("\n")
  // Runners show the difference of an assertion only if the error is the assertion's own. Other errors may belong to several cases.
  return error.name === "AssertionError"
    ? Object.assign(error, { message })
    : new Error(`${error.name}: ${message}`, { cause: error })
}

/** How many lines of the log a failure shows. The last ones name its reason. */
const shown = 10

/**
 * Runs a case without printing what it logs, because engines that fail on purpose log each failure. The error of a case that fails has
 * the last lines.
 */
export const withKeptLog = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, Error, R> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const keep = Logger.map(Logger.formatSimple, (line) => {
      lines.push(line)
      if (lines.length > shown) lines.shift()
    })
    return run.pipe(
      Effect.provide(Logger.layer([keep])),
      Effect.mapError((failure) => inWords(failure, lines)),
      Effect.catchDefect((defect) => Effect.die(inWords(defect, lines)))
    )
  })

/**
 * Succeeds when `holds` succeeds for every value that is tried, and fails with the smallest value for which it doesn't.
 */
export const forAll = <A, E, R>(
  values: Schema.Schema<A>,
  holds: (value: A) => Effect.Effect<unknown, E, R>,
  { runs, size }: { readonly runs: number; readonly size: number }
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const property = (value: A) => Effect.as(Effect.catchDefect(holds(value), Effect.fail), true)
    const result = yield* Arbitrary.checkEffect(Arbitrary.schema(values), property, { runs, size })
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) assert.fail(failure)
  })

/** The clock of a host that is this far ahead, or behind when negative. It runs at the same pace. */
const clockOffBy = (clock: Clock.Clock, offset: Duration.Duration): Clock.Clock => {
  const [millis, nanos] = [Duration.toMillis(offset), Duration.toNanosUnsafe(offset)]
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + millis
  const currentTimeNanosUnsafe = () => clock.currentTimeNanosUnsafe() + nanos
  return {
    currentTimeMillisUnsafe,
    currentTimeNanosUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Runs an effect as a host whose clock is this far off. */
export const offBy =
  (offset: Duration.Input) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) =>
      Effect.provideService(effect, Clock.Clock, clockOffBy(clock, Duration.fromInputUnsafe(offset)))
    )
