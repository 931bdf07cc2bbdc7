import { Array, Context, DateTime, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { ObjectDeletionId, type ObjectDeletion } from "../model/HostedObject.ts"
import type { RemovedUpload } from "../model/Reservation.ts"
import { removalsOf, storedBy } from "../rules/reservations.ts"
import { ObjectDeletionStore } from "../ports/ObjectDeletionStore.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { Settings } from "./Settings.ts"
import { inSpan } from "./telemetry.ts"

/** Makes the removals of uploads' objects, for the commit that deletes them now. */
export const makeNewObjectDeletions = Effect.gen(function* () {
  const random = yield* SecureRandom
  return Effect.fnUntraced(function* (uploads: ReadonlyArray<RemovedUpload>) {
    const now = yield* DateTime.now
    return yield* Effect.forEach(
      uploads.flatMap((upload) => removalsOf(upload, now)),
      (removal) => Effect.map(random.uuidV7(), (id) => ({ ...removal, id: ObjectDeletionId.make(id) }))
    )
  })
})

/**
 * Filters hosted objects before their removal: leaves out those that an upload still stores or shares. Later uploads can't share the
 * others, because only objects that `ReservationStore.findHosted` returns are shared.
 */
export const makeUnsharedFilter = Effect.gen(function* () {
  const removals = yield* ObjectDeletionStore
  const sweeps = yield* SweepStore

  return Effect.fnUntraced(function* <A extends { readonly key: string }>(objects: ReadonlyArray<A>) {
    const storing = Array.dedupe(objects.flatMap(({ key }) => storedBy(key) ?? []))
    if (storing.length === 0) return objects
    const there = new Set((yield* sweeps.findReservations(storing)).map(({ id }) => id))
    const unreserved = objects.filter(({ key }) => {
      const id = storedBy(key)
      return id === undefined || !there.has(id)
    })
    const sharedKeys = new Set(
      unreserved.length === 0 ? [] : yield* removals.findShared(unreserved.map(({ key }) => key))
    )
    return unreserved.filter(({ key }) => !sharedKeys.has(key))
  })
})

/** How long a claim of a removal lasts. If the host crashes, another one can claim it after that. */
const claimDuration = Duration.minutes(5)

/** How many objects one call removes. */
const objectsPerBatch = 1000

/** The result of a batch: how many removals were begun and completed, and how many objects they removed. */
export interface ObjectDeletionBatch {
  readonly claimed: number
  readonly completed: number
  readonly objects: number
  readonly bytes: number
}

/**
 * Removes the objects of deleted records. The commit of the deletion stores the removals, so that they are completed even if hosts
 * crash. A removal can be repeated at any time.
 */
export class ObjectDeletions extends Context.Service<
  ObjectDeletions,
  {
    /** The removals of these uploads' objects, for the commit that deletes them now. */
    readonly of: (uploads: ReadonlyArray<RemovedUpload>) => Effect.Effect<ReadonlyArray<ObjectDeletion>>
    /**
     * Removes the objects immediately, for up to ten seconds; the sweep does the rest. Call it after the commit has returned.
     */
    readonly begin: (removals: ReadonlyArray<ObjectDeletion>) => Effect.Effect<void>
    /**
     * One batch of the sweep: claims at most `limit` due removals, and removes their objects. A failed removal is retried some
     * minutes later by any host. Any number of hosts can sweep concurrently.
     */
    readonly sweep: (limit: number) => Effect.Effect<ObjectDeletionBatch, WriteFailure>
  }
>()("slipway/core/service/ObjectDeletions") {
  static readonly layer = Layer.effect(
    ObjectDeletions,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const store = yield* ObjectDeletionStore
      const { concurrency } = yield* Settings

      const newRemovals = yield* makeNewObjectDeletions
      const unshared = yield* makeUnsharedFilter

      const removeBelow = Effect.fnUntraced(function* (prefix: string) {
        const unsharedObjects = yield* unshared(yield* objects.list(prefix))
        yield* Effect.forEach(
          Array.chunksOf(unsharedObjects, objectsPerBatch),
          (some) => objects.remove(Array.map(some, ({ key }) => key)),
          { discard: true }
        )
        return {
          objects: unsharedObjects.length,
          bytes: unsharedObjects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        }
      })

      const putOff = ({ prefix }: ObjectDeletion) =>
        Effect.logWarning("Deleted objects are removed later, those below", prefix)

      /** Removes the existing objects. The removal is complete if no new ones can be stored; otherwise it is due again at that time. */
      const remove = Effect.fnUntraced(function* (removal: ObjectDeletion) {
        const begun = yield* DateTime.now
        const removed = yield* removeBelow(removal.prefix)
        return { ...removed, removal, isOver: DateTime.isGreaterThanOrEqualTo(begun, removal.settledAt) }
      }, inSpan("ObjectDeletions.remove"))

      /**
       * Removes all that can be removed now. Those that are over are dropped in one commit, since a commit of SQLite keeps every
       * other request waiting.
       */
      const finish = Effect.fnUntraced(function* (removals: ReadonlyArray<ObjectDeletion>) {
        const done = yield* Effect.forEach(
          removals,
          (removal) => Effect.catch(remove(removal), () => Effect.as(putOff(removal), undefined)),
          { concurrency }
        )
        const removed = done.filter((one) => one !== undefined)
        const over = removed.filter(({ isOver }) => isOver).map(({ removal }) => removal.id)
        if (over.length > 0) yield* store.complete(over)
        yield* Effect.forEach(
          removed.filter(({ isOver }) => !isOver),
          ({ removal }) => store.postpone([removal.id], removal.settledAt),
          { concurrency, discard: true }
        )
        return removed
      })

      return ObjectDeletions.of({
        of: newRemovals,
        begin: Effect.fnUntraced(function* (removals) {
          const putOffRest = Effect.forEach(removals.slice(0, 1), putOff, { discard: true })
          yield* finish(removals).pipe(
            Effect.catch(() => putOffRest),
            Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => putOffRest })
          )
        }, inSpan("ObjectDeletions.begin")),
        sweep: Effect.fnUntraced(function* (limit) {
          const now = yield* DateTime.now
          const claims = yield* store.claim({ now, until: DateTime.addDuration(now, claimDuration), limit })
          const removed = yield* finish(claims)
          return {
            claimed: claims.length,
            completed: removed.filter(({ isOver }) => isOver).length,
            objects: removed.reduce((sum, { objects }) => sum + objects, 0),
            bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0)
          }
        }, inSpan("ObjectDeletions.sweep"))
      })
    })
  )
}
