import { Context, type Effect } from "effect"
import type { WriteFailure } from "./WriteFailure.ts"

/** A request to consume from a bucket. All numbers are milliseconds, possibly fractional; `now` is since 1970. */
export interface RateRequest {
  /** The name of the bucket: at most 150 ASCII characters. */
  readonly bucket: string
  /** The time in which the bucket refills the consumed amount. */
  readonly cost: number
  /** The time in which an empty bucket fills; at least `cost`. */
  readonly capacity: number
  readonly now: number
}

/**
 * Stores how much of each rate limit is used, as buckets that refill over time, for every host on the same engine. A bucket is
 * stored as the time when it is full again; one that isn't stored is full. A crash of the engine may lose buckets, and backups
 * don't include them.
 */
export class RateStore extends Context.Service<
  RateStore,
  {
    /**
     * Consumes `cost`, and returns when the bucket is full again: `cost` after the time when it would be full without this request,
     * or after `now` if that is later. If the result is later than `now` plus `capacity`, nothing is consumed. Concurrent requests all
     * count.
     */
    readonly consume: (request: RateRequest) => Effect.Effect<number, WriteFailure>
    /** Deletes at most `limit` buckets that are full at `now`, the earliest full first. Returns how many. */
    readonly deleteFull: (now: number, limit: number) => Effect.Effect<number, WriteFailure>
  }
>()("slipway/core/ports/RateStore") {}
