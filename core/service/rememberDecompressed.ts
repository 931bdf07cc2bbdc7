import { Effect } from "effect"
import { Unavailable } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"
import type { ReservationStore } from "../ports/ReservationStore.ts"

/** Stores how many bytes of a reservation were decompressed. A failure to store it changes no answer. */
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
