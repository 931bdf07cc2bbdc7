import { Effect, type DateTime } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { QuotaExceeded, RateLimited, Unavailable } from "../model/Problem.ts"
import type { Conflict } from "../ports/Conflict.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { UsageStore, type Within } from "../ports/UsageStore.ts"
import { decideQuotas } from "../rules/quotas.ts"
import { decideRoom } from "../rules/reservations.ts"
import { countReservation } from "./metrics.ts"
import { Settings } from "./Settings.ts"

/**
 * Finds out why a reserve conflicted. `RateLimited`: the account has too many open reservations. `QuotaExceeded`: the account would
 * exceed a quota. The commit itself checks both, so they are counted only after a conflict, and not with every reserve. Counts each
 * reservation that is committed.
 */
export const makeRoomToReserve = Effect.gen(function* () {
  const reservations = yield* ReservationStore
  const usage = yield* UsageStore
  const { openReservations } = yield* Settings

  const decide = Effect.fnUntraced(function* (
    account: AccountId,
    now: DateTime.Utc,
    within: Within | undefined
  ): Effect.fn.Return<void, QuotaExceeded | RateLimited | Unavailable> {
    const open = yield* reservations.countOpen(account, now, openReservations)
    yield* Effect.fromResult(decideRoom(open, openReservations, now))
    if (within === undefined) return
    const standing = yield* usage.find(account, within.month, now)
    yield* Effect.fromResult(decideQuotas(standing, within.quotas, within.requested, now))
  })

  return <A, E, R>(
    {
      account,
      now,
      within
    }: { readonly account: AccountId; readonly now: DateTime.Utc; readonly within: Within | undefined },
    commit: Effect.Effect<A, E | Conflict, R>
  ) =>
    commit.pipe(
      Effect.tapErrorTag("Conflict", () => decide(account, now, within)),
      Effect.tap(countReservation)
    )
})
