import { Context, type DateTime, type Effect } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { ObjectDeletion, ObjectDeletionId } from "../model/HostedObject.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/**
 * The objects of deleted records that still have to be removed. `commitDelete` of the other stores of the same engine stores the
 * removals in the commit that deletes the records. No record refers to these objects. All times are given; the store has no clock
 * of its own.
 */
export class ObjectDeletionStore extends Context.Service<
  ObjectDeletionStore,
  {
    /**
     * Claims at most `limit` removals that are due at `now` or before, the earliest due first, and sets their `dueAt` to `until`.
     * Returns the changed removals, ordered by id. Concurrent claims never get the same removal. If a host crashes after a claim, the
     * removals are due again at `until`.
     */
    readonly claim: (request: {
      readonly now: DateTime.Utc
      readonly until: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ObjectDeletion>, WriteFailure>
    /** Sets `dueAt` of these removals. A missing removal is not an error. */
    readonly postpone: (ids: ReadonlyArray<ObjectDeletionId>, dueAt: DateTime.Utc) => Effect.Effect<void, WriteFailure>
    /** Deletes these removals because they are done. A missing removal is not an error. */
    readonly complete: (ids: ReadonlyArray<ObjectDeletionId>) => Effect.Effect<void, WriteFailure>
    /**
     * Of these keys of hosted objects, those that uploads share or still can share: the keys that `ReservationStore.findHosted`
     * returns, and those in `stored.shared` of an upload.
     */
    readonly findShared: (objectKeys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** At most `limit` removals, due or not, ordered by id: only those after `after`, if given. */
    readonly list: (query: {
      readonly after?: ObjectDeletionId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ObjectDeletion>, Unavailable>
  }
>()("slipway/core/ports/ObjectDeletionStore") {}
