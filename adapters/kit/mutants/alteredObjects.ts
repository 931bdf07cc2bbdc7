import { Context, Effect, Layer, Stream } from "effect"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerObjects } from "../../memory/index.ts"
import { ObjectSink } from "../../signed-urls/ObjectSink.ts"
import { loopback } from "../parts/objectStoreHarness.ts"

export type Store = ObjectStore["Service"]
export type Sink = ObjectSink["Service"]

/** The objects in memory, with the store or the sink behind its URLs altered. */
const altered = (alter: (store: Store, sink: Sink) => { readonly store?: Store; readonly sink?: Sink }) =>
  loopback(
    Layer.flatMap(layerObjects, (memory) => {
      const [store, sink] = [Context.get(memory, ObjectStore), Context.get(memory, ObjectSink)]
      const now = alter(store, sink)
      return Layer.succeedContext(
        Context.make(ObjectStore, now.store ?? store).pipe(Context.add(ObjectSink, now.sink ?? sink))
      )
    })
  )

export const storing = (alter: (store: Store, sink: Sink) => Partial<Store>) =>
  altered((store, sink) => ({ store: { ...store, ...alter(store, sink) } }))

export const receiving = (receive: (sink: Sink, store: Store) => Sink["receive"]) =>
  altered((store, sink) => ({ sink: { receive: receive(sink, store) } }))

/** Every byte of an object, and what is known of it. */
export const whole = (store: Store, key: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { stream, ...facts } = yield* Effect.catchTag(store.read(key), "RangeNotSatisfiable", Effect.die)
      return { ...facts, bytes: yield* Stream.mkUint8Array(stream) }
    })
  )

export const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
