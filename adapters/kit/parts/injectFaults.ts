/**
 * Makes any store fail on purpose, at the calls that a test chooses. The service's suite uses it to prove that nothing
 * is ever half done; other hosts can be tested with it too.
 */
import { Context, Effect, Layer, Option, Stream } from "effect"
import { Unavailable } from "../../../core/model/Problem.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { ObjectStore, type OpenObject } from "../../../core/ports/ObjectStore.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { RetentionStore } from "../../../core/ports/RetentionStore.ts"
import { SweepStore } from "../../../core/ports/SweepStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { UsageStore } from "../../../core/ports/UsageStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"

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
    /** Runs an effect while calls fail as planned. Answers its result and the calls that were made. */
    readonly during: (
      plan: Plan
    ) => <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<{ readonly answer: A; readonly calls: ReadonlyArray<Call> }, E, R>
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
      if (fault === "before") return Effect.fail(Unavailable.answer)
      if (fault === "after") return Effect.andThen(Effect.result(call), Effect.fail(Unavailable.answer))
      if (fault === "late") return Effect.andThen(aWhile, call)
      return fault === "midStream" ? Effect.map(call, broken) : call
    })

  const faults = Faults.of({
    during: (planned) => (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          plan = planned
          return (calls = [])
        }),
        (calls) => Effect.map(effect, (answer) => ({ answer, calls: [...calls] })),
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
      Stream.concat(Stream.fail(Unavailable.answer))
    )
  })
})

/** The same stream, which fails behind its first chunk. */
const failingStream = <A>(stream: Stream.Stream<A, Unavailable>): Stream.Stream<A, Unavailable> =>
  Stream.concat(Stream.take(stream, 1), Stream.fail(Unavailable.answer))

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
    const behind =
      <I, S extends object>(port: Context.Key<I, S>, wrapped: (service: S) => S) =>
      (context: Context.Context<R>): Context.Context<R> =>
        Option.match(Context.getOption(context, port), {
          onNone: () => context,
          onSome: (service) => Context.add(context, port, wrapped(service))
        })
    const plainly = <I, S extends object>(port: Context.Key<I, S>, name: string) =>
      behind(port, (service) => gated(name, service, gate))
    const metadata = given.pipe(
      plainly(AccountStore, "AccountStore"),
      plainly(AuditLog, "AuditLog"),
      plainly(KeyStore, "KeyStore"),
      plainly(RepositoryStore, "RepositoryStore"),
      plainly(BuildStore, "BuildStore"),
      plainly(PreviewStore, "PreviewStore"),
      plainly(TestRunStore, "TestRunStore"),
      plainly(IdempotencyStore, "IdempotencyStore"),
      plainly(RemovalStore, "RemovalStore"),
      plainly(RetentionStore, "RetentionStore"),
      plainly(SweepStore, "SweepStore"),
      plainly(ReservationStore, "ReservationStore"),
      plainly(ShareLinkStore, "ShareLinkStore"),
      plainly(TrustStore, "TrustStore"),
      plainly(SessionStore, "SessionStore"),
      plainly(OverviewStore, "OverviewStore"),
      plainly(RateStore, "RateStore"),
      plainly(UsageStore, "UsageStore"),
      plainly(Outbox, "Outbox"),
      plainly(WebhookStore, "WebhookStore")
    )
    const all = behind(ObjectStore, (store) => gatedObjects(store, gate))(metadata)
    return Layer.succeedContext(Context.add(all, Faults, faults))
  })
