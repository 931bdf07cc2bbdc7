import { Context, Effect, Layer, type Scope } from "effect"
import { layerMetadata } from "../key-value/index.ts"
import type { KeyValueStore, Transaction } from "../key-value/KeyValueStore.ts"
import { metadataSuite } from "./metadata.ts"
import { metadataSnapshotSuite } from "./metadataSnapshot.ts"
import { FailingEngine } from "./parts/interruption.ts"

/** A new and empty store; and the same one as another host opens it, if an engine can have several. */
export interface OpenedKeyValueStore {
  readonly store: KeyValueStore
  readonly another?: KeyValueStore | undefined
}

/** The store with an engine that can be made to fail at each operation of a transaction, and at its end. */
const failing = (store: KeyValueStore) => {
  let left: number | undefined
  const counted = <A>(operation: () => Promise<A>): Promise<A> => {
    if (left !== undefined) left -= 1
    return left !== undefined && left < 0 ? Promise.reject(new Error("The engine failed on purpose.")) : operation()
  }
  const countedIn = (tx: Transaction): Transaction => ({
    get: (key) => counted(() => tx.get(key)),
    set: (key, value) => counted(() => tx.set(key, value)),
    remove: (key) => counted(() => tx.remove(key)),
    list: (range) => counted(() => tx.list(range))
  })
  const failingStore: KeyValueStore = {
    transaction: (use) =>
      store.transaction(async (tx) => {
        const value = await use(countedIn(tx))
        return counted(async () => value)
      })
  }
  const layer = Layer.succeed(FailingEngine, (nth, commit) =>
    Effect.suspend(() => {
      left = nth
      return Effect.exit(commit)
    }).pipe(
      Effect.map(() => {
        const hasFailed = left !== undefined && left < 0
        left = undefined
        return hasFailed
      })
    )
  )
  return { failingStore, layer }
}

/** The store of the case at hand, for its other host. */
class Opened extends Context.Service<Opened, { store: KeyValueStore | undefined }>()(
  "slipway/adapters/kit/OpenedKeyValueStore"
) {}

/** The suites of every metadata port and of snapshots, on two hosts and on an engine that fails in the middle. */
export const keyValueMetadataSuites = (
  name: string,
  open: Effect.Effect<OpenedKeyValueStore, unknown, Scope.Scope>,
  options: { readonly maxValueBytes?: number | undefined }
): void => {
  const adapter = {
    shared: Layer.sync(Opened, () => ({ store: undefined })),
    each: Layer.unwrap(
      Effect.gen(function* () {
        const { another, store } = yield* open
        ;(yield* Opened).store = another ?? store
        const { failingStore, layer } = failing(store)
        return Layer.merge(layerMetadata(failingStore, options), layer)
      })
    ),
    another: Layer.unwrap(
      Opened.use(({ store }) =>
        store === undefined ? Effect.die("no case has opened the store") : Effect.succeed(layerMetadata(store, options))
      )
    )
  }
  metadataSuite(name, adapter)
  metadataSnapshotSuite(name, adapter)
}
