/**
 * Makes any store fail on purpose, at the calls that a test chooses. The service's suite uses it to prove that nothing
 * is ever half done; other hosts can be tested with it too.
 */
import { Context, Effect, Layer, Option, Stream } from "effect"
import { Unavailable } from "../../../core/model/Problem.ts"
import { ObjectStore, type OpenObject } from "../../../core/ports/ObjectStore.ts"
import { mapPorts } from "../../../core/ports/registry.ts"

/**
 * What goes wrong with a call. The first three fail with `Unavailable`, the last doesn't fail.
 *
 * - `before`: the engine can't be reached; nothing was done.
 * - `after`: the engine did what it was asked, and its answer got lost.
 * - `midStream`: an object is opened, and its stream fails in the middle of its bytes. Only calls that open an object
 *   fail so.
 * - `late`: the call is made after the calls that began later have ended.
 */
export type Fault = "before" | "after" | "midStream" | "late"

/** A call of a method of a port: `BuildStore.commitReserve`. `nth` counts all calls, from 0. */
export interface Call {
  readonly method: string
  readonly nth: number
}

/** Which calls go wrong, and how. */
export type Plan = (call: Call) => Fault | undefined

/** Where a test chooses which calls of the stores fail. Without a choice none fails. */
export class Faults extends Context.Service<
  Faults,
  {
    /**
     * Runs an effect while calls fail as planned. Answers its result, the calls that were made, and a sentence for each call
     * that failed with `Unavailable` without a plan.
     */
    readonly during: (
      plan: Plan
    ) => <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<
      { readonly answer: A; readonly calls: ReadonlyArray<Call>; readonly unplanned: ReadonlyArray<string> },
      E,
      R
    >
  }
>()("slipway/adapters/kit/Faults") {}

/** Decides whether a call of a method is made. `broken` is what the call answers when it fails in the middle. */
type Gate = <A, E, R>(
  method: string,
  call: Effect.Effect<A, E, R>,
  broken?: (answer: A) => A
) => Effect.Effect<A, E | Unavailable, R>

/** Turns of the event loop: enough for every effect that doesn't wait for input or output. */
const aWhile = Effect.replicateEffect(
  Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
  50,
  { discard: true }
)

const makeGate = () => {
  let plan: Plan | undefined
  let calls: Array<Call> = []
  let unplanned: Array<string> = []

  const gate: Gate = <A, E, R>(
    method: string,
    call: Effect.Effect<A, E, R>,
    broken: (answer: A) => A = (answer) => answer
  ) =>
    Effect.suspend((): Effect.Effect<A, E | Unavailable, R> => {
      if (plan === undefined) return call
      const made = { method, nth: calls.length }
      calls.push(made)
      const fault = plan(made)
      if (fault === "before") return Effect.fail(Unavailable.default)
      if (fault === "after") return Effect.andThen(Effect.result(call), Effect.fail(Unavailable.default))
      if (fault === "late") return Effect.andThen(aWhile, call)
      if (fault === "midStream") return Effect.map(call, broken)
      return Effect.tapError(call, (error) =>
        Effect.sync(() => {
          if (error instanceof Unavailable) unplanned.push(`${method} failed by itself, see the log`)
        })
      )
    })

  const faults = Faults.of({
    during: (planned) => (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          plan = planned
          unplanned = []
          return (calls = [])
        }),
        (calls) => Effect.map(effect, (answer) => ({ answer, calls: [...calls], unplanned: [...unplanned] })),
        () => Effect.sync(() => (plan = undefined))
      )
  })
  return { gate, faults }
}

/** The same service with each of its effects passed through the gate. */
const gated = <S extends object>(port: string, service: S, gate: Gate): S =>
  new Proxy(service, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      const method = `${port}.${String(name)}`
      const through = (made: unknown): unknown => (Effect.isEffect(made) ? gate(method, made) : made)
      if (typeof value !== "function") return through(value)
      return (...args: ReadonlyArray<unknown>): unknown => through(Reflect.apply(value, target, args))
    }
  })

/** The same object with a stream that fails after half of its bytes. */
const broken = (object: OpenObject): OpenObject => ({
  ...object,
  stream: Stream.suspend(() => {
    let left = Math.floor(object.length / 2)
    return object.stream.pipe(
      Stream.map((chunk) => {
        const piece = chunk.subarray(0, left)
        left -= piece.byteLength
        return piece
      }),
      Stream.takeUntil(() => left === 0),
      Stream.concat(Stream.fail(Unavailable.default))
    )
  })
})

/** The same stream, which fails behind its first chunk. */
const failingStream = <A>(stream: Stream.Stream<A, Unavailable>): Stream.Stream<A, Unavailable> =>
  Stream.concat(Stream.take(stream, 1), Stream.fail(Unavailable.default))

const gatedObjects = (store: ObjectStore["Service"], gate: Gate): ObjectStore["Service"] => ({
  ...gated("ObjectStore", store, gate),
  scan: (prefix, after) =>
    Stream.unwrap(gate("ObjectStore.scan", Effect.succeed(store.scan(prefix, after)), failingStream)),
  read: (key, range) => gate("ObjectStore.read", store.read(key, range), broken)
})

/** Wraps every port that an adapter has with one {@link Faults}. */
export const faulty = <R, E, S>(adapter: Layer.Layer<R, E, S>): Layer.Layer<R | Faults, E, S> =>
  Layer.flatMap(adapter, (given) => {
    const { faults, gate } = makeGate()
    const metadata = mapPorts(given, (implementation, port) => gated(port, implementation, gate))
    const all = Option.match(Context.getOption(given, ObjectStore), {
      onNone: () => metadata,
      onSome: (store) => Context.add(metadata, ObjectStore, gatedObjects(store, gate))
    })
    return Layer.succeedContext(Context.add(all, Faults, faults))
  })
