import { Cause, Context, Data, Effect, Exit, Schedule } from "effect"
import { Unavailable } from "../../core/model/Problem.ts"
import { Conflict } from "../../core/ports/Conflict.ts"
import type { KeyValueStore, Transaction } from "./KeyValueStore.ts"
import { TransactionConflict } from "./TransactionConflict.ts"

/** The engine rejected a transaction. */
class StoreFailed extends Data.TaggedError("StoreFailed")<{ readonly cause: unknown }> {}

/** Runs transactions as effects. They are uninterruptible, so that no part of them runs after the effect has ended. */
export interface Run {
  <A>(use: (tx: Transaction) => Promise<A>): Effect.Effect<A, Unavailable>
  /** Runs a commit, which answers whether it stored anything; it stored nothing because of a conflict. */
  readonly commit: (use: (tx: Transaction) => Promise<boolean>) => Effect.Effect<void, Conflict | Unavailable>
  /** Runs a change, whose transactions on the same store become parts of one, and `also` in that one with its answer. */
  readonly together: <A, E, R>(
    change: Effect.Effect<A, E, R>,
    also: (tx: Transaction, answer: A) => Promise<void>
  ) => Effect.Effect<A, E | Unavailable, R>
}

/** The transaction that is under way, so that what is run meanwhile becomes a part of it. */
const UnderWay = Context.Reference<{ readonly store: KeyValueStore; readonly tx: Transaction } | undefined>(
  "slipway/adapters/key-value/UnderWay",
  { defaultValue: () => undefined }
)

const attempt = <A>(run: () => Promise<A>) =>
  Effect.uninterruptible(Effect.tryPromise({ try: run, catch: (cause) => new StoreFailed({ cause }) }))

const isConflict = ({ cause }: StoreFailed): boolean => cause instanceof TransactionConflict

/** Runs a transaction again, for about five seconds, while the engine finds it in conflict with others. */
const again = <A>(transaction: Effect.Effect<A, StoreFailed>) =>
  Effect.uninterruptible(
    Effect.retry(transaction, {
      while: isConflict,
      schedule: Schedule.jittered(Schedule.spaced("50 millis")),
      times: 100
    })
  )

const unavailable = ({ cause }: StoreFailed) =>
  Effect.andThen(Effect.logWarning(`The key-value store failed: ${String(cause)}`), Effect.fail(Unavailable.answer))

/** What an engine rejects with is `Unavailable`, and a log line says why. */
export const runOn = (store: KeyValueStore): Run => {
  const run = Effect.fnUntraced(function* <A>(use: (tx: Transaction) => Promise<A>) {
    const underWay = yield* UnderWay
    if (underWay?.store !== store) return yield* Effect.catch(again(attempt(() => store.transaction(use))), unavailable)
    // Only the whole transaction can run again.
    return yield* Effect.catch(
      attempt(() => use(underWay.tx)),
      (error) => (isConflict(error) ? Effect.die(error.cause) : unavailable(error))
    )
  })

  const together = Effect.fnUntraced(function* <A, E, R>(
    change: Effect.Effect<A, E, R>,
    also: (tx: Transaction, answer: A) => Promise<void>
  ): Effect.fn.Return<A, E | Unavailable, R> {
    const context = yield* Effect.context<R>()
    let failed: Exit.Exit<never, E> | undefined
    const transaction = attempt(() =>
      store.transaction(async (tx) => {
        failed = undefined
        const exit = await Effect.runPromiseExitWith(Context.add(context, UnderWay, { store, tx }))(change)
        if (Exit.isFailure(exit)) {
          const error = Cause.squash(exit.cause)
          if (error instanceof TransactionConflict) throw error
          failed = Exit.failCause(exit.cause)
          throw new Error("The change failed.")
        }
        await also(tx, exit.value)
        return exit.value
      })
    )
    return yield* Effect.catch(
      again(transaction),
      (error): Effect.Effect<never, E | Unavailable> => failed ?? unavailable(error)
    )
  })

  const commit = (use: (tx: Transaction) => Promise<boolean>) =>
    Effect.flatMap(run(use), (isStored) => (isStored ? Effect.void : Effect.fail(new Conflict())))

  return Object.assign(run, { commit, together })
}
