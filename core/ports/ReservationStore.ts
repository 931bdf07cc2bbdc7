import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, Quotas } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Content, HostedObject } from "../model/HostedObject.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { OpenReservations, Reservation, ReservationId } from "../model/Reservation.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A reservation of a build or a preview, and the key that its `keyId` names, if there is one. */
export interface ReservationWithKey {
  readonly reservation: Reservation
  readonly key: Option.Option<ApiKey>
}

/** The data that a reserve needs about its account. */
export interface AccountForReserve {
  /** The account's own quotas, as `UsageStore.find` returns them. */
  readonly own: Quotas
  /** The result of `findHosted` for the contents to reserve. */
  readonly hosted: ReadonlyArray<HostedObject>
}

/**
 * Operations on the reservations of builds and previews alike. `BuildStore` and `PreviewStore` of the same engine store them.
 * All times are given.
 */
export class ReservationStore extends Context.Service<
  ReservationStore,
  {
    /**
     * How many reservations of the account, for builds and for previews together, are open at `now`: not finalized, and
     * `now` before their `expiresAt`. It counts no further than `atMost`. `firstEnd` is the earliest `expiresAt` of all of them.
     * Reservations of unlinked repositories count too.
     */
    readonly countOpen: (
      account: AccountId,
      now: DateTime.Utc,
      atMost: number
    ) => Effect.Effect<OpenReservations, Unavailable>

    /**
     * A reservation by its id, of any account and in any state, and the current state of its key, even if it is revoked or expired.
     * It is called before and after each PUT, so it is one look-up. It sees every revocation and finalize that has returned.
     */
    readonly findForPut: (id: ReservationId) => Effect.Effect<Option.Option<ReservationWithKey>, Unavailable>

    /**
     * Adds to a reservation's `decompressedBytes`, also if it is finalized. Concurrent additions all count. A missing reservation is
     * not an error. Nothing else of the reservation or its build changes.
     */
    readonly addDecompressed: (id: ReservationId, bytes: number) => Effect.Effect<void, WriteFailure>

    /**
     * Those of these contents that the account has finalized, by `commitFinalize` of a build or a preview, each with its object.
     * Objects of other accounts are never included.
     */
    readonly findHosted: (
      account: AccountId,
      contents: ReadonlyArray<Content>
    ) => Effect.Effect<ReadonlyArray<HostedObject>, Unavailable>

    /** The account's own quotas and its hosted objects with these contents, in one round trip to the engine. */
    readonly findForReserve: (
      account: AccountId,
      contents: ReadonlyArray<Content>
    ) => Effect.Effect<AccountForReserve, Unavailable>
  }
>()("slipway/core/ports/ReservationStore") {}
