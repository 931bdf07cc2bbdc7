/** Effect's rate limiter on the port that every engine has. */
import { Clock, Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"
import { RateStore } from "../ports/RateStore.ts"

/** How often a host forgets full buckets, in milliseconds, and how many at once, so that no request waits for long. */
const deleteInterval = 60_000
const deleteBatchSize = 1000

const unused = Effect.die("Slipway's rate limits are token buckets.")

const failed = (cause: unknown) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "The rate limits can't be reached.", cause })
  })

/**
 * A bucket of the limiter as the port knows it: it is full again when what is missing has been refilled. A hundredth of an
 * interval more is room, so that rounding never refuses the last of the limit.
 */
const storeOn = (rates: RateStore["Service"]): RateLimiter.RateLimiterStore["Service"] => {
  let forgotten = 0
  return {
    tokenBucket: Effect.fnUntraced(function* ({ allowOverflow, key, limit, refillRate, tokens }) {
      const now = yield* Clock.currentTimeMillis
      const interval = Duration.toMillis(refillRate)
      const capacity = allowOverflow ? Number.MAX_SAFE_INTEGER : (limit + 0.01) * interval
      const fullAt = yield* Effect.mapError(
        rates.consume({ bucket: key, cost: tokens * interval, capacity, now }),
        failed
      )
      if (now - forgotten >= deleteInterval) {
        forgotten = now
        const count = yield* Effect.orElseSucceed(rates.deleteFull(now, deleteBatchSize), () => 0)
        // The next request forgets what is left.
        if (count === deleteBatchSize) forgotten = 0
      }
      const left = limit - (fullAt - now) / interval
      const whole = Math.floor(left + 0.01)
      return [whole, Math.max(0, left - whole) * interval]
    }),
    fixedWindow: () => unused,
    adaptiveConsume: () => unused,
    adaptiveFeedback: () => unused
  }
}

/** A limiter whose buckets all hosts on the same engine share. */
export const makeRateLimiter = Effect.flatMap(RateStore, (rates) =>
  Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, storeOn(rates))
)
