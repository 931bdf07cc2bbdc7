import { Effect } from "effect"
import { Unavailable } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"
import type { ReservationStore } from "../ports/ReservationStore.ts"

/** Writes down how much was decompressed of a reservation. That it can't be written changes no answer. */
export const rememberDecompressed = (
  reservations: ReservationStore["Service"],
  id: Reservation["id"],
  bytes: number
): Effect.Effect<void> =>
  bytes === 0
    ? Effect.void
    : reservations.addDecompressed(id, bytes).pipe(
        Effect.interruptible,
        Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(Unavailable.answer) }),
        Effect.catch(() => Effect.logWarning("What an upload decompressed to could not be written down", id))
      )
