import { Effect, Latch, Layer, Option, Stream, Struct } from "effect"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import type { Engines } from "../../node/engines/engines.ts"

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Waits until a condition holds, checking it once in each turn of the event loop. */
export const eventually = (holds: () => boolean) => Effect.repeat(turn, { until: holds })

/** Waits for enough turns of the event loop for anything that has nothing to wait for. */
export const aWhile = Effect.replicateEffect(turn, 200, { discard: true })

/** Engines that compute no digest while an object arrives, like S3, so that finalize has to read the objects. */
export const withoutDigests = <E>(engines: Engines<E>) => {
  const layerObjects = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) =>
      ObjectStore.of({
        ...store,
        list: (prefix) =>
          Effect.map(store.list(prefix), (all) => all.map((object) => Struct.omit(object, ["contentHash"])))
      })
    )
  )
  /** Makes all reservations count as fully decompressed for PUTs. */
  const spent = { decompressedBytes: Number.MAX_SAFE_INTEGER }
  const layerReservations = Layer.effect(
    ReservationStore,
    Effect.map(ReservationStore, (store) =>
      ReservationStore.of({
        ...store,
        findForPut: (id) =>
          Effect.map(
            store.findForPut(id),
            Option.map((found) => ({ ...found, reservation: { ...found.reservation, ...spent } }))
          )
      })
    )
  )
  return {
    ...engines,
    ports: Layer.provideMerge(Layer.merge(layerObjects, layerReservations), engines.ports)
  } satisfies Engines<E>
}

/** Engines that record the service's calls on objects and reservations, and otherwise behave normally. */
export const watched = <E>(engines: Engines<E>) => {
  const seen = { reads: 0, begun: 0, open: 0, mostOpen: 0, atEnd: 0, askedForPut: 0 }
  /** While closed, no opened object delivers bytes. */
  const mayRead = Latch.makeUnsafe(true)
  /** While closed, no object that is read reaches its end. */
  const mayEnd = Latch.makeUnsafe(true)
  let objects: ObjectStore["Service"] | undefined

  const layerObjects = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) => {
      objects = store
      return ObjectStore.of({
        ...store,
        read: Effect.fnUntraced(function* (key, range) {
          const object = yield* store.read(key, range)
          yield* Effect.acquireRelease(
            Effect.sync(() => {
              seen.reads += 1
              seen.open += 1
              seen.mostOpen = Math.max(seen.mostOpen, seen.open)
            }),
            () => Effect.sync(() => void (seen.open -= 1))
          )
          const end = Stream.fromEffectDrain(
            Effect.andThen(
              Effect.sync(() => void (seen.atEnd += 1)),
              mayEnd.await
            )
          )
          const begin = Stream.fromEffectDrain(
            Effect.andThen(
              Effect.sync(() => void (seen.begun += 1)),
              mayRead.await
            )
          )
          return { ...object, stream: begin.pipe(Stream.concat(object.stream), Stream.concat(end)) }
        })
      })
    })
  )
  const layerReservations = Layer.effect(
    ReservationStore,
    Effect.map(ReservationStore, (store) =>
      ReservationStore.of({
        ...store,
        findForPut: (id) => Effect.tap(store.findForPut(id), () => Effect.sync(() => void (seen.askedForPut += 1)))
      })
    )
  )
  return {
    engines: {
      ...engines,
      ports: Layer.provideMerge(Layer.merge(layerObjects, layerReservations), engines.ports)
    } satisfies Engines<E>,
    seen,
    mayRead,
    mayEnd,
    /** The keys of the objects below a prefix. */
    keys: (prefix: string) =>
      Effect.suspend(() => objects?.list(prefix) ?? Effect.die("the engines are not open")).pipe(
        Effect.map((all) => all.map(({ key }) => key)),
        Effect.orDie
      )
  }
}
