import { Context, Data, type Effect, type Stream } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { MetadataRecord } from "../model/MetadataRecord.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** There is something in the store already; nothing was changed. */
export class NotEmpty extends Data.TaggedError("NotEmpty") {}

/** Reads everything that the metadata ports keep, as it was at one moment. It is for moving a deployment, not for serving one. */
export class MetadataSource extends Context.Service<
  MetadataSource,
  {
    /**
     * Runs an effect on the records as they are at one moment, while others go on writing. The stream may be run several
     * times, and gives the same each time: each record once, kind by kind in the order of `recordModels`.
     */
    readonly snapshot: <A, E, R>(
      use: (records: Stream.Stream<MetadataRecord, Unavailable>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
    /** As `snapshot`, on the records of one account alone, those of `portableKinds`. */
    readonly snapshotOf: <A, E, R>(
      account: AccountId,
      use: (records: Stream.Stream<MetadataRecord, Unavailable>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
  }
>()("slipway/core/ports/MetadataSource") {}

/** Fills an empty store with what was read from another. */
export class MetadataTarget extends Context.Service<
  MetadataTarget,
  {
    /** Fails with `NotEmpty` when anything is kept already. */
    readonly assertEmpty: Effect.Effect<void, NotEmpty | Unavailable>
    /**
     * Stores all of the records, in the order of `recordModels`, or none when one of them can't be, when the stream fails
     * or the effect is interrupted. Every port then answers as on the store that they were read from.
     */
    readonly fill: <E>(records: Stream.Stream<MetadataRecord, E>) => Effect.Effect<void, E | NotEmpty | WriteFailure>
  }
>()("slipway/core/ports/MetadataTarget") {}
