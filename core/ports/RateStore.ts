import { Context, type Effect } from "effect"
import type { WriteFailure } from "./WriteFailure.ts"

/** What is to be taken from a bucket; all but its name in milliseconds, of which parts count, and `now` since 1970. */
export interface RateRequest {
  /** Which bucket: at most 150 characters of ASCII. */
  readonly bucket: string
  /** How long the bucket takes to get back what is taken. */
  readonly cost: number
  /** How long it takes to fill when it is empty; at least `cost`. */
  readonly capacity: number
  readonly now: number
}

/**
 * Keeps how much of each rate limit is used, in buckets that fill by themselves, for every host on the same engine. A bucket
 * is known by the time when it is full again; one that isn't stored is full. What is kept may be lost when the engine
 * crashes, and is no part of a backup.
 */
export class RateStore extends Context.Service<
  RateStore,
  {
    /**
     * Answers when the bucket is full again after the taking: `cost` behind the time when it would be full without it, or
     * behind `now` if that is later. When the answer is later than `now` and `room`, nothing is taken. Of many takings at once,
     * each counts.
     */
    readonly consume: (request: RateRequest) => Effect.Effect<number, WriteFailure>
    /** Forgets at most `limit` buckets that are full at `now`, those first that were full first, and answers how many. */
    readonly deleteFull: (now: number, limit: number) => Effect.Effect<number, WriteFailure>
  }
>()("slipway/core/ports/RateStore") {}
