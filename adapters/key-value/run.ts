import { Data, Effect } from "effect"
import { Unavailable } from "../../core/model/Problem.ts"
import type { KeyValueStore, Transaction } from "./KeyValueStore.ts"

/** The engine rejected a transaction. */
class StoreFailed extends Data.TaggedError("StoreFailed")<{ readonly cause: unknown }> {}

/** Runs a transaction as an effect. It isn't interrupted half-way, so that nothing of it goes on afterwards. */
export type Run = <A>(use: (tx: Transaction) => Promise<A>) => Effect.Effect<A, Unavailable>

/** What an engine rejects with is `Unavailable`, and a log line says why. */
export const runOn =
  (store: KeyValueStore): Run =>
  (use) =>
    Effect.tryPromise({ try: () => store.transaction(use), catch: (cause) => new StoreFailed({ cause }) }).pipe(
      Effect.catch(({ cause }) =>
        Effect.andThen(
          Effect.logWarning(`The key-value store failed: ${String(cause)}`),
          Effect.fail(Unavailable.answer)
        )
      ),
      Effect.uninterruptible
    )
