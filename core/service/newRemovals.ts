import { DateTime, Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { RemovalId } from "../model/Removal.ts"
import type { Reservation } from "../model/Reservation.ts"
import { removalsOf } from "../rules/removals.ts"

/** Makes the removals of reservations' objects, for the commit that deletes them now. */
export const makeNewRemovals = Effect.gen(function* () {
  const random = yield* SecureRandom
  const newId = Effect.map(
    Effect.suspend(() => random.uuidV7()),
    (id) => RemovalId.make(id)
  )
  return Effect.fnUntraced(function* (
    reservations: ReadonlyArray<Pick<Reservation, "id" | "accountId" | "expiresAt">>
  ) {
    const now = yield* DateTime.now
    const all = yield* Effect.forEach(reservations, (reservation) =>
      Effect.map(Effect.all({ staging: newId, hosted: newId }), (ids) => removalsOf(reservation, now, ids))
    )
    return all.flat()
  })
})
