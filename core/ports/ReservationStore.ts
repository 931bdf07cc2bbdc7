import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { DeclaredObject } from "../model/Artifact.ts"
import type { Content, HostedObject } from "../model/HostedObject.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Quotas } from "../model/Quota.ts"
import type { OpenReservations, Reservation, ReservationId } from "../model/Reservation.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A reservation of a build or a preview, and the key that its `keyId` names, if there is one. */
export interface ReservationWithKey {
  readonly reservation: Reservation
  readonly key: Option.Option<ApiKey>
}

/** An open reservation, and the objects that it declares. */
export interface OpenUpload {
  readonly id: ReservationId
  readonly objects: ReadonlyArray<DeclaredObject>
}

/** What a reserve has to know of the account that makes it. */
export interface AccountForReserve {
  /** The account's own quotas, as `UsageStore.find` answers them. */
  readonly own: Quotas
  /** What `findHosted` answers for the contents that are to be reserved. */
  readonly hosted: ReadonlyArray<HostedObject>
}

/**
 * What the reservations of builds and of previews have in common. They are stored by `BuildStore` and `PreviewStore` of
 * the same engine; all times are given.
 */
export class ReservationStore extends Context.Service<
  ReservationStore,
  {
    /**
     * How many reservations of the account, for builds and for previews together, are open at `now`: not finalized, and
     * `now` before their `expiresAt`. It counts no further than `atMost`. `firstEnd` is the earliest `expiresAt` among
     * all of them. Whether a repository is still linked makes no difference.
     */
    readonly countOpen: (
      account: AccountId,
      now: DateTime.Utc,
      atMost: number
    ) => Effect.Effect<OpenReservations, Unavailable>

    /**
     * Of the account's reservations, for builds and for previews together, that are not finalized and whose `expiresAt` lies behind
     * `after` and not behind `until`: the `limit` that end last, and of those that end together, those of the greatest ids; in any
     * order. Whether a repository is still linked makes no difference.
     */
    readonly findOpen: (
      account: AccountId,
      which: { readonly after: DateTime.Utc; readonly until: DateTime.Utc; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<OpenUpload>, Unavailable>

    /**
     * A reservation by its id, whichever account's it is and whether or not it is finalized or over, and its key as it is
     * at this moment, whether or not it is revoked or expired. It is asked for before and after each PUT, so it is one
     * look-up; a revocation and a finalize that were answered before are seen.
     */
    readonly findForPut: (id: ReservationId) => Effect.Effect<Option.Option<ReservationWithKey>, Unavailable>

    /**
     * Adds to a reservation's `decompressedBytes`; of many additions at once none is lost. A reservation that isn't there
     * is no error, and one that is finalized is added to as well. Nothing else of it changes, nor of its build.
     */
    readonly addDecompressed: (id: ReservationId, bytes: number) => Effect.Effect<void, WriteFailure>

    /**
     * Of these contents, those that the account itself has finalized, by `commitFinalize` of a build or a preview, each with
     * the object that has it. What other accounts have is never among them.
     */
    readonly findHosted: (
      account: AccountId,
      contents: ReadonlyArray<Content>
    ) => Effect.Effect<ReadonlyArray<HostedObject>, Unavailable>

    /** The account's own quotas, and what it has hosted of these contents, in one round trip to the engine. */
    readonly findForReserve: (
      account: AccountId,
      contents: ReadonlyArray<Content>
    ) => Effect.Effect<AccountForReserve, Unavailable>
  }
>()("slipway/core/ports/ReservationStore") {}
