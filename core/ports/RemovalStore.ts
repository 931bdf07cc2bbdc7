import { Context, type DateTime, type Effect } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { Removal, RemovalId } from "../model/Removal.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/**
 * What is still to be removed of what was deleted. `commitDelete` of the other stores of the same engine stores the removals,
 * in the commit that deletes the records; what is kept here doesn't belong to anything any more. All times are given; the
 * store has no clock of its own.
 */
export class RemovalStore extends Context.Service<
  RemovalStore,
  {
    /**
     * Takes at most `limit` removals that are due at `now`, at that very instant too, those that were due first, and sets their
     * `dueAt` to `until`. Answers them so, ordered by id. Of takes at the same time, no two get the same
     * removal; whoever took one and never comes back holds it up only until then.
     */
    readonly claim: (request: {
      readonly now: DateTime.Utc
      readonly until: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Removal>, WriteFailure>
    /** Sets `dueAt` of these removals. One that isn't there is no error. */
    readonly postpone: (ids: ReadonlyArray<RemovalId>, dueAt: DateTime.Utc) => Effect.Effect<void, WriteFailure>
    /** The removals are over, and forgotten. One that isn't there is no error. */
    readonly complete: (ids: ReadonlyArray<RemovalId>) => Effect.Effect<void, WriteFailure>
    /**
     * Of these keys of hosted objects, those of objects that uploads share, or still can: those that `ReservationStore.findHosted`
     * tells of, and those in `stored.shared` of an upload.
     */
    readonly findShared: (objectKeys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The removals, due or not, ordered by id: only those behind `after` where it is given, and at most `limit`. */
    readonly list: (query: {
      readonly after?: RemovalId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Removal>, Unavailable>
  }
>()("slipway/core/ports/RemovalStore") {}
