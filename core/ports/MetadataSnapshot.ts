import { Context, Data, type Effect, type Stream } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { MetadataRecord, RecordKind } from "../model/MetadataRecord.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** The store is not empty; nothing was changed. */
export class NotEmpty extends Data.TaggedError("NotEmpty") {
  override readonly message = "The store is not empty, so nothing was stored. Use an empty store."
}

/** Two records are the same one; nothing was stored. `key` says which. */
export class DuplicateRecord extends Data.TaggedError("DuplicateRecord")<{
  readonly kind: RecordKind
  readonly key: string
}> {
  override readonly message = `The copy has the record ${this.key} of the kind ${this.kind} twice, so nothing was stored. Make a new backup, and restore that.`
}

/** Reads a consistent snapshot of all metadata. It is for migrating a deployment, not for serving requests. */
export class MetadataSource extends Context.Service<
  MetadataSource,
  {
    /**
     * Runs an effect on a consistent snapshot of the records. Concurrent writes continue meanwhile. The stream may be run several
     * times with the same result: each record once, kind by kind in the order of `recordModels`.
     */
    readonly snapshot: <A, E, R>(
      use: (records: Stream.Stream<MetadataRecord, Unavailable>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
    /** Like `snapshot`, with only the records of one account, of the `portableKinds`. */
    readonly snapshotOf: <A, E, R>(
      account: AccountId,
      use: (records: Stream.Stream<MetadataRecord, Unavailable>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
  }
>()("slipway/core/ports/MetadataSource") {}

/** Fills an empty store with the records of another. */
export class MetadataTarget extends Context.Service<
  MetadataTarget,
  {
    /** Fails with `NotEmpty` if the store has any record. */
    readonly assertEmpty: Effect.Effect<void, NotEmpty | Unavailable>
    /**
     * Stores all of the records, which are in the order of `recordModels`. Stores none of them if one can't be stored or occurs twice, the stream
     * fails or the effect is interrupted. Afterwards every port returns the same results as on the source store.
     */
    readonly fill: <E>(
      records: Stream.Stream<MetadataRecord, E>
    ) => Effect.Effect<void, E | DuplicateRecord | NotEmpty | WriteFailure>
  }
>()("slipway/core/ports/MetadataTarget") {}
