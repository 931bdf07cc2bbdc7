import { Effect, type DateTime } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { RateLimited, Unavailable } from "../model/Problem.ts"
import type { Conflict } from "../ports/Conflict.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { decideRoom } from "../rules/reservations.ts"
import { Settings } from "./Settings.ts"

/**
 * Finds out whether a reserve conflicted because its account has as many open reservations as it may: `RateLimited`. The commit
 * itself keeps within that, so the open ones are counted only when it was refused, and not with every reserve.
 */
export const makeRoomToReserve = Effect.gen(function* () {
  const reservations = yield* ReservationStore
  const { openReservations } = yield* Settings

  const decide = (account: AccountId, now: DateTime.Utc): Effect.Effect<void, RateLimited | Unavailable> =>
    Effect.flatMap(reservations.countOpen(account, now, openReservations), (open) =>
      Effect.fromResult(decideRoom(open, openReservations, now))
    )

  return <A, E, R>(account: AccountId, now: DateTime.Utc, commit: Effect.Effect<A, E | Conflict, R>) =>
    Effect.tapErrorTag(commit, "Conflict", () => decide(account, now))
})
