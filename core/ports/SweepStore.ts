import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { ObjectDeletion } from "../model/HostedObject.ts"
import type { Reservation, ReservationId } from "../model/Reservation.ts"
import type { Due, ExpirySelection } from "../model/Sweep.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A page of what is due. `next` continues after it; without it there is nothing more. A page may be empty. */
export interface DuePage {
  readonly due: ReadonlyArray<Due>
  readonly next?: string | undefined
}

/** An item to expire, and the removals of its objects. */
export interface ExpiredItem {
  readonly id: string
  readonly removals: ReadonlyArray<ObjectDeletion>
}

/** The cursor that a job has reached, and when it was last finished. */
export interface JobCheckpoint {
  readonly cursor?: string | undefined
  readonly doneAt?: DateTime.Utc | undefined
}

/** Finds and expires what a `ExpirySelection` selects, and stores leases and checkpoints of jobs. All times are given. */
export class SweepStore extends Context.Service<
  SweepStore,
  {
    /**
     * The earlier of a host's time and the engine's own, where hosts on several machines share an engine; else the host's. Sweeps
     * use it, so that a clock that is ahead expires nothing early.
     */
    readonly earlierTime: (ofHost: DateTime.Utc) => Effect.Effect<DateTime.Utc, Unavailable>
    /** A page of what a selection selects, at most `limit`. Changes nothing. `after` is the `next` of the page before. */
    readonly due: (
      selection: ExpirySelection,
      page: { readonly after?: string | undefined; readonly limit: number }
    ) => Effect.Effect<DuePage, Unavailable>
    /**
     * Deletes items by a selection and stores their `removals` (`ObjectDeletionStore`), atomically. Answers the ids of the deleted items. An item
     * that is no longer selected stays unchanged; one that another commit is changing may stay too. Concurrent calls never
     * answer the same id.
     *
     * A build is deleted with its reservations; a preview or a run with its share links, but not a preview's runs and what was
     * billed; a key with its sessions. Hosted objects below a removal's prefix stay as in `BuildStore.commitDelete`. A commit that
     * was decided on a deleted item fails with `Conflict`.
     */
    readonly expire: (
      selection: ExpirySelection,
      items: ReadonlyArray<ExpiredItem>
    ) => Effect.Effect<ReadonlyArray<string>, WriteFailure>
    /**
     * The existing reservations of builds and previews among these ids, of any account and in any state. One that can't be decoded has
     * only its id, so that its objects stay.
     */
    readonly findReservations: (
      ids: ReadonlyArray<ReservationId>
    ) => Effect.Effect<ReadonlyArray<Pick<Reservation, "id" | "finalizedAt" | "hostedPrefix">>, Unavailable>
    /**
     * Gives the lease of a job to `holder` until `until`, unless another holder has it at `now`. Another holder's lease that ends after
     * `latest` is ignored, because it was acquired by a clock that was ahead. The holder itself renews its lease, or releases it if
     * `until` is `now`. Of concurrent calls, one gets it.
     */
    readonly acquireLease: (request: {
      readonly job: string
      readonly holder: string
      readonly now: DateTime.Utc
      readonly until: DateTime.Utc
      readonly latest: DateTime.Utc
    }) => Effect.Effect<Option.Option<JobCheckpoint>, WriteFailure>
    /**
     * Saves the cursor that a job has reached; with `doneAt` the job is finished and its lease is released. Answers `false`, and changes
     * nothing, when `holder` doesn't have the lease.
     */
    readonly saveCheckpoint: (checkpoint: {
      readonly job: string
      readonly holder: string
      readonly cursor?: string | undefined
      readonly doneAt?: DateTime.Utc | undefined
    }) => Effect.Effect<boolean, WriteFailure>
  }
>()("slipway/core/ports/SweepStore") {}
