import { DateTime, Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { RemovalId } from "../model/Removal.ts"
import type { RemovedUpload } from "../model/Reservation.ts"
import { removalsOf } from "../rules/removals.ts"

/** Makes the removals of uploads' objects, for the commit that deletes them now. */
export const makeNewRemovals = Effect.gen(function* () {
  const random = yield* SecureRandom
  return Effect.fnUntraced(function* (uploads: ReadonlyArray<RemovedUpload>) {
    const now = yield* DateTime.now
    return yield* Effect.forEach(
      uploads.flatMap((upload) => removalsOf(upload, now)),
      (removal) => Effect.map(random.uuidV7(), (id) => ({ ...removal, id: RemovalId.make(id) }))
    )
  })
})
