import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { Removal } from "../model/Removal.ts"
import type { Reservation, ReservationId } from "../model/Reservation.ts"
import type { Due, SweepOrder } from "../model/Sweep.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A page of what goes. `next` continues behind it; without one there is nothing more. A page may be empty. */
export interface DuePage {
  readonly due: ReadonlyArray<Due>
  readonly next?: string | undefined
}

/** One thing to take, and the removals of its bytes. */
export interface ExpiredItem {
  readonly id: string
  readonly removals: ReadonlyArray<Removal>
}

/** A turn at a job that one host does at a time: how far it came, and when it was last done to its end. */
export interface JobCheckpoint {
  readonly place?: string | undefined
  readonly doneAt?: DateTime.Utc | undefined
}

/**
 * Finds and takes what nobody needs any more, and what the rules of retention let go. What goes is told by `SweepOrder`; all
 * times of orders are given.
 */
export class SweepStore extends Context.Service<
  SweepStore,
  {
    /**
     * The earlier one of a host's time and the engine's own, where hosts on several machines share an engine; else the host's. A
     * host sweeps by this, so that a clock that is ahead takes nothing.
     */
    readonly earlierTime: (ofHost: DateTime.Utc) => Effect.Effect<DateTime.Utc, Unavailable>
    /** A page of what goes by an order, at most `limit`, and changes nothing. `after` is the `next` of the page before. */
    readonly due: (
      order: SweepOrder,
      page: { readonly after?: string | undefined; readonly limit: number }
    ) => Effect.Effect<DuePage, Unavailable>
    /**
     * Takes things by an order, and stores their `removals` (`RemovalStore`): all of it or nothing. Answers the ids of those that were
     * taken; what doesn't go by the order any more stays as it is, with all that belongs to it, and what another commit is changing
     * at this moment may stay too. Of takes at the same time, no two answer the same id.
     *
     * With a build go its reservations; with a preview or a run the share links to it, while its runs and what was billed
     * stay; with a key its sessions. What is hosted below a prefix of a removal stays so as `BuildStore.commitDelete` has it. A commit that was decided on something that is taken meanwhile is a `Conflict`.
     */
    readonly expire: (
      order: SweepOrder,
      items: ReadonlyArray<ExpiredItem>
    ) => Effect.Effect<ReadonlyArray<string>, WriteFailure>
    /** Of these ids, the reservations of builds and previews that there are, whichever account's and whatever became of them. */
    readonly findReservations: (
      ids: ReadonlyArray<ReservationId>
    ) => Effect.Effect<ReadonlyArray<Reservation>, Unavailable>
    /**
     * Gives the turn at a job to `holder` until then, unless another holder has it at `now`. Another holder's turn that ends after
     * `latest` doesn't count: it was taken by a clock that was ahead. Who has the turn gets it again, for longer; or gives it back,
     * if `until` is `now`. Of several who ask at the same time, one gets it.
     */
    readonly acquireLease: (request: {
      readonly job: string
      readonly holder: string
      readonly now: DateTime.Utc
      readonly until: DateTime.Utc
      readonly latest: DateTime.Utc
    }) => Effect.Effect<Option.Option<JobCheckpoint>, WriteFailure>
    /**
     * Writes down how far a job came; with `doneAt` that it is done, and the turn is free. Answers `false`, and changes nothing,
     * when the holder does not have the turn.
     */
    readonly saveCheckpoint: (done: {
      readonly job: string
      readonly holder: string
      readonly place?: string | undefined
      readonly doneAt?: DateTime.Utc | undefined
    }) => Effect.Effect<boolean, WriteFailure>
  }
>()("slipway/core/ports/SweepStore") {}
