import { Array, Context, DateTime, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { RemovalId, type Removal } from "../model/Removal.ts"
import type { Reservation } from "../model/Reservation.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import { RemovalStore } from "../ports/RemovalStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { removalsOf } from "../rules/removals.ts"
import { Settings } from "./Settings.ts"

/** How long a host has a removal to itself. If it is killed meanwhile, another does it after that. */
const turn = Duration.minutes(5)

/** How many objects one call removes. */
const objectsAtOnce = 1000

const undone = { objects: 0, bytes: 0, isOver: false }

/** What a batch of removals came to: how many were begun, how many of them are over, and the objects that they removed. */
export interface RemovalBatch {
  readonly taken: number
  readonly over: number
  readonly objects: number
  readonly bytes: number
}

/**
 * Removes the objects of what was deleted. The commit that deletes stores what is to be removed, so that it is done however
 * often a host is killed in its middle: doing it again is right at any time.
 */
export class Removals extends Context.Service<
  Removals,
  {
    /** The removals of these reservations' objects, for the commit that deletes them now. */
    readonly of: (
      reservations: ReadonlyArray<Pick<Reservation, "id" | "accountId" | "expiresAt">>
    ) => Effect.Effect<ReadonlyArray<Removal>>
    /**
     * Removes the objects at once, as far as that succeeds within ten seconds; the sweep does the rest. To be run when the commit
     * was answered.
     */
    readonly begin: (removals: ReadonlyArray<Removal>) => Effect.Effect<void>
    /**
     * One batch of the sweep: takes at most `limit` removals that are due, and removes their objects. One that can't be done now is
     * taken again some minutes later, by whichever host. Any number of hosts sweep at once.
     */
    readonly sweep: (limit: number) => Effect.Effect<RemovalBatch, WriteFailure>
  }
>()("slipway/core/service/Removals") {
  static readonly layer = Layer.effect(
    Removals,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const store = yield* RemovalStore
      const random = yield* SecureRandom
      const { concurrency } = yield* Settings

      const newId = Effect.map(
        Effect.suspend(() => random.uuidV7()),
        (id) => RemovalId.make(id)
      )

      const removeBelow = Effect.fnUntraced(function* (prefix: string) {
        const found = yield* objects.list(prefix)
        yield* Effect.forEach(
          Array.chunksOf(found, objectsAtOnce),
          (some) => objects.remove(Array.map(some, ({ key }) => key)),
          { discard: true }
        )
        return { objects: found.length, bytes: found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) }
      })

      /** Removes what is there now. The removal is over if nothing can be stored there any more, and else due again then. */
      const finish = Effect.fn("Removals.finish")(function* ({ id, prefix, settledAt }: Removal) {
        const begun = yield* DateTime.now
        const removed = yield* removeBelow(prefix)
        const isOver = DateTime.isGreaterThanOrEqualTo(begun, settledAt)
        yield* isOver ? store.drop([id]) : store.postpone([id], settledAt)
        return { ...removed, isOver }
      })

      const putOff = ({ prefix }: Removal) =>
        Effect.logWarning("Deleted objects are removed later, those below", prefix)

      return Removals.of({
        of: Effect.fnUntraced(function* (reservations) {
          const now = yield* DateTime.now
          const all = yield* Effect.forEach(reservations, (reservation) =>
            Effect.map(Effect.all({ staging: newId, hosted: newId }), (ids) => removalsOf(reservation, now, ids))
          )
          return all.flat()
        }),
        begin: Effect.fn("Removals.begin")(function* (removals) {
          yield* Effect.forEach(removals, (removal) => Effect.catch(finish(removal), () => putOff(removal)), {
            concurrency,
            discard: true
          }).pipe(
            Effect.timeoutOrElse({
              duration: "10 seconds",
              orElse: () => Effect.forEach(removals.slice(0, 1), putOff, { discard: true })
            })
          )
        }),
        sweep: Effect.fn("Removals.sweep")(function* (limit) {
          const now = yield* DateTime.now
          const taken = yield* store.take({ now, until: DateTime.addDuration(now, turn), limit })
          const done = yield* Effect.forEach(
            taken,
            (removal) => Effect.catch(finish(removal), () => Effect.as(putOff(removal), undone)),
            { concurrency }
          )
          return {
            taken: taken.length,
            over: done.filter(({ isOver }) => isOver).length,
            objects: done.reduce((sum, { objects }) => sum + objects, 0),
            bytes: done.reduce((sum, { bytes }) => sum + bytes, 0)
          }
        })
      })
    })
  )
}
