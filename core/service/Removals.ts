import { Array, Context, DateTime, Duration, Effect, Layer } from "effect"
import type { Removal } from "../model/Removal.ts"
import type { RemovedUpload } from "../model/Reservation.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import { RemovalStore } from "../ports/RemovalStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { makeNewRemovals } from "./newRemovals.ts"
import { Settings } from "./Settings.ts"
import { makeUnsharedFilter } from "./unsharedFilter.ts"

/** How long a claim of a removal lasts. If the host crashes, another one can claim it after that. */
const claimDuration = Duration.minutes(5)

/** How many objects one call removes. */
const objectsAtOnce = 1000

/** The result of a batch: how many removals were begun and completed, and how many objects they removed. */
export interface RemovalBatch {
  readonly claimed: number
  readonly completed: number
  readonly objects: number
  readonly bytes: number
}

/**
 * Removes the objects of deleted records. The commit of the deletion stores the removals, so that they are completed even if hosts
 * crash. A removal can be repeated at any time.
 */
export class Removals extends Context.Service<
  Removals,
  {
    /** The removals of these uploads' objects, for the commit that deletes them now. */
    readonly of: (uploads: ReadonlyArray<RemovedUpload>) => Effect.Effect<ReadonlyArray<Removal>>
    /**
     * Removes the objects immediately, for up to ten seconds; the sweep does the rest. Call it after the commit has returned.
     */
    readonly begin: (removals: ReadonlyArray<Removal>) => Effect.Effect<void>
    /**
     * One batch of the sweep: claims at most `limit` due removals, and removes their objects. A failed removal is retried some
     * minutes later by any host. Any number of hosts can sweep concurrently.
     */
    readonly sweep: (limit: number) => Effect.Effect<RemovalBatch, WriteFailure>
  }
>()("slipway/core/service/Removals") {
  static readonly layer = Layer.effect(
    Removals,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const store = yield* RemovalStore
      const { concurrency } = yield* Settings

      const newRemovals = yield* makeNewRemovals
      const unshared = yield* makeUnsharedFilter

      const removeBelow = Effect.fnUntraced(function* (prefix: string) {
        const found = yield* unshared(yield* objects.list(prefix))
        yield* Effect.forEach(
          Array.chunksOf(found, objectsAtOnce),
          (some) => objects.remove(Array.map(some, ({ key }) => key)),
          { discard: true }
        )
        return { objects: found.length, bytes: found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) }
      })

      const putOff = ({ prefix }: Removal) =>
        Effect.logWarning("Deleted objects are removed later, those below", prefix)

      /** Removes the existing objects. The removal is complete if no new ones can be stored; otherwise it is due again at that time. */
      const remove = Effect.fn("Removals.remove")(function* (removal: Removal) {
        const begun = yield* DateTime.now
        const removed = yield* removeBelow(removal.prefix)
        return { ...removed, removal, isOver: DateTime.isGreaterThanOrEqualTo(begun, removal.settledAt) }
      })

      /**
       * Removes all that can be removed now. Those that are over are dropped in one commit, since a commit of SQLite keeps every
       * other request waiting.
       */
      const finish = Effect.fnUntraced(function* (removals: ReadonlyArray<Removal>) {
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

      return Removals.of({
        of: newRemovals,
        begin: Effect.fn("Removals.begin")(function* (removals) {
          const putOffRest = Effect.forEach(removals.slice(0, 1), putOff, { discard: true })
          yield* finish(removals).pipe(
            Effect.catch(() => putOffRest),
            Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => putOffRest })
          )
        }),
        sweep: Effect.fn("Removals.sweep")(function* (limit) {
          const now = yield* DateTime.now
          const taken = yield* store.claim({ now, until: DateTime.addDuration(now, claimDuration), limit })
          const removed = yield* finish(taken)
          return {
            claimed: taken.length,
            completed: removed.filter(({ isOver }) => isOver).length,
            objects: removed.reduce((sum, { objects }) => sum + objects, 0),
            bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0)
          }
        })
      })
    })
  )
}
