/** What is to be removed of an upload once its record is deleted, and until when. */
import { Array, DateTime, Duration } from "effect"
import type { Removal } from "../model/Removal.ts"
import type { RemovedUpload } from "../model/Reservation.ts"
import { hostedRoot, sharedWithOthers, stagingPrefix, storedBy } from "./reservations.ts"

/**
 * How long a finalize that was under way when its reservation was deleted may still promote objects. It removes them itself
 * when it ends; this is for one whose host was killed.
 */
export const finalizeGrace = Duration.hours(1)

/**
 * The removals of what was uploaded for a reservation that is deleted at `now`: where it was PUT, where it is hosted, and where other
 * uploads hosted what it shared with them. What any upload still has stays.
 */
export const removalsOf = (
  { accountId, expiresAt, ...upload }: RemovedUpload,
  now: DateTime.Utc
): Array.NonEmptyReadonlyArray<Omit<Removal, "id">> => {
  const finalized = DateTime.addDuration(now, finalizeGrace)
  const fields = { accountId, since: now, dueAt: now }
  const elsewhere = [...new Set(sharedWithOthers(upload).flatMap((key) => storedBy(key) ?? []))]
  return [
    // A store may take a PUT for as long as its URL is signed.
    { ...fields, prefix: stagingPrefix(upload), settledAt: DateTime.max(finalized, expiresAt) },
    { ...fields, prefix: hostedRoot(upload), settledAt: finalized },
    ...elsewhere.map((id) => ({ ...fields, prefix: hostedRoot({ id }), settledAt: now }))
  ]
}
