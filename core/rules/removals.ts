/** What is to be removed of an upload once its record is deleted, and until when. */
import { DateTime, Duration } from "effect"
import type { Removal, RemovalId } from "../model/Removal.ts"
import type { Reservation } from "../model/Reservation.ts"
import { hostedRoot, stagingPrefix } from "./reservations.ts"

/**
 * How long a finalize that was under way when its reservation was deleted may still promote objects. It removes them itself
 * when it ends; this is for one whose host was killed.
 */
export const finalizeGrace = Duration.hours(1)

/** The removals of what was uploaded for a reservation that is deleted at `now`: where it was PUT, and where it is hosted. */
export const removalsOf = (
  { accountId, expiresAt, ...reservation }: Pick<Reservation, "id" | "accountId" | "expiresAt">,
  now: DateTime.Utc,
  ids: { readonly staging: RemovalId; readonly hosted: RemovalId }
): ReadonlyArray<Removal> => {
  const finalized = DateTime.addDuration(now, finalizeGrace)
  const fields = { accountId, since: now, dueAt: now }
  return [
    // A store may take a PUT for as long as its URL is signed.
    { ...fields, id: ids.staging, prefix: stagingPrefix(reservation), settledAt: DateTime.max(finalized, expiresAt) },
    { ...fields, id: ids.hosted, prefix: hostedRoot(reservation), settledAt: finalized }
  ]
}
