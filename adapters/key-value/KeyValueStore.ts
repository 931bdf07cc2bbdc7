import { Cause, Context, Data, Effect, Exit, Schedule } from "effect"
import { Unavailable } from "../../core/model/Problem.ts"
import { Conflict } from "../../core/ports/WriteFailure.ts"

/**
 * The engine found that a transaction conflicts with another one, and kept nothing of it. A `KeyValueStore` whose engine doesn't run
 * transactions again rejects with this, and Slipway runs it again.
 */
export class TransactionConflict extends Error {
  override readonly name = "TransactionConflict"
}

/** One entry of a {@link KeyValueStore}. */
export interface Entry {
  readonly key: string
  readonly value: string
}

/** Entries with `from <= key < to`, by code unit: the first `limit` of them, or the last ones, last first. None if `from >= to`. */
export interface Range {
  readonly from: string
  readonly to: string
  readonly limit: number
  readonly reverse: boolean
}

/**
 * What a transaction of a {@link KeyValueStore} can do. Its reads see what it wrote itself. Calls may overlap: Slipway doesn't always
 * wait for one before the next, and when `use` rejects, some may not have ended.
 */
export interface Transaction {
  /** The value of a key, or `undefined` when there is none. */
  readonly get: (key: string) => Promise<string | undefined>
  /** Stores a value in place of whichever the key had. */
  readonly set: (key: string, value: string) => Promise<void>
  /** Removes a key. One that isn't there is no error. */
  readonly remove: (key: string) => Promise<void>
  /** The entries of a range, in its order. */
  readonly list: (range: Range) => Promise<ReadonlyArray<Entry>>
}

/**
 * An ordered store of texts with transactions: all that an engine has to give to keep Slipway's metadata. One table of an
 * SQL database is one, with the key as its primary key; so are FoundationDB and LMDB. Deno KV and DynamoDB are not, because their
 * transactions are too small: see `README.md`.
 *
 * Keys are ASCII of at most 500 bytes. Only the beginning of a range may have a NUL, as its last character: it is the place just behind
 * a key. Values are JSON of up to a few MiB, as large as a request may be. For an engine that takes only smaller values, set
 * `maxValueBytes` of `layerMetadata`.
 */
export interface KeyValueStore {
  /**
   * Runs `use`, and keeps what it wrote, all of it or nothing: when `use` rejects, nothing.
   *
   * Transactions are serializable: the result is as if one had run after the other, also on several hosts, and also where one only
   * reads or `use` rejects. Where an engine finds that two can't be, it runs `use` again, or rejects with `TransactionConflict`. What
   * `transaction` has answered is on the disk, as far as the engine promises that of anything, and every later transaction sees it, on
   * every host.
   */
  readonly transaction: <A>(use: (transaction: Transaction) => Promise<A>) => Promise<A>
}

/** A transaction whose calls are refused once it has rejected: a part of it that still runs would write outside of it. */
export const untilRejected = (tx: Transaction) => {
  let isOver = false
  const unlessOver = <A>(call: () => Promise<A>): Promise<A> =>
    isOver ? Promise.reject(new Error("The transaction has rejected already.")) : call()
  const guarded: Transaction = {
    get: (key) => unlessOver(() => tx.get(key)),
    set: (key, value) => unlessOver(() => tx.set(key, value)),
    remove: (key) => unlessOver(() => tx.remove(key)),
    list: (range) => unlessOver(() => tx.list(range))
  }
  const whenRejected = (error: unknown): never => {
    isOver = true
    throw error
  }
  return { guarded, whenRejected }
}

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

/** A record that can't be decoded: a fault of Slipway or of the engine. */
export class UndecodableRecord extends Error {
  override readonly name = "UndecodableRecord"
}

/** Why a transaction left out records. It is logged at its end. */
const leftOut = new WeakMap<Transaction, Set<string>>()

/** Decodes a record in a transaction. */
export const decodeIn = <A>(tx: Transaction, decode: () => A): A => {
  try {
    return decode()
  } catch (error) {
    if (error instanceof UndecodableRecord) leftOut.get(tx)?.add(error.message)
    throw error
  }
}

/** What `find` gives; `undefined` where a record can't be decoded, so that a list has the others. */
export const orLeftOut = async <A>(find: () => Promise<A>, onLeftOut?: () => void): Promise<A | undefined> => {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    onLeftOut?.()
    return undefined
  }
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
  cause instanceof UndecodableRecord
    ? Effect.die(cause)
    : Effect.andThen(
        Effect.logWarning(`The key-value store failed: ${String(cause)}`),
        Effect.fail(Unavailable.default)
      )

/** What an engine rejects with is `Unavailable`, and a log line says why. */
export const runOn = (store: KeyValueStore): Run => {
  const run = Effect.fnUntraced(function* <A>(use: (tx: Transaction) => Promise<A>) {
    const underWay = yield* UnderWay
    let reasons = new Set<string>()
    const used = (tx: Transaction) => {
      const { guarded, whenRejected } = untilRejected(tx)
      leftOut.set(guarded, (reasons = new Set()))
      return use(guarded).catch(whenRejected)
    }
    const done = yield* underWay?.store !== store
      ? Effect.catch(again(attempt(() => store.transaction(used))), unavailable)
      : // Only the whole transaction can run again.
        Effect.catch(
          attempt(() => used(underWay.tx)),
          (error) => (isConflict(error) ? Effect.die(error.cause) : unavailable(error))
        )
    for (const reason of reasons) yield* Effect.logError(`A record is left out of a list: ${reason}`)
    return done
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
