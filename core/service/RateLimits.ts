/** Effect's rate limiter on the port that every engine has. */
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { RateStore } from "../ports/RateStore.ts"
import type { Caller } from "../model/ApiKey.ts"
import type { RateLimited } from "../model/Problem.ts"
import { rateLeaseSize, rateLimited, ratePeriodSeconds, type Rates } from "../rules/limits.ts"
import { countRateLimited } from "./telemetry.ts"
import { makeSecurityLog, type Attempt } from "./securityLog.ts"
import { Settings } from "./Settings.ts"

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
      const tokensLeft = limit - (fullAt - now) / interval
      const whole = Math.floor(tokensLeft + 0.01)
      return [whole, Math.max(0, tokensLeft - whole) * interval]
    }),
    fixedWindow: () => unused,
    adaptiveConsume: () => unused,
    adaptiveFeedback: () => unused
  }
}

/** A limiter whose buckets all hosts on the same engine share. */
const makeRateLimiter = Effect.flatMap(RateStore, (rates) =>
  Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, storeOn(rates))
)

/** How many requests of a limit a host may accept without asking the store, or until when it refuses them. */
interface Lease {
  left: number
  readonly refusedUntil?: number
  /** The store could not be asked. */
  readonly isBlind?: true
}

/** How long a host works without an unreachable store before it retries. */
const unreachable = Duration.seconds(5)

/** How many keys, accounts or addresses a host remembers leases of. */
const capacity = 10_000

const period = Duration.seconds(ratePeriodSeconds)

/** A limit, for each of many ids. */
const makeLimit = Effect.fnUntraced(function* (limiter: RateLimiter.RateLimiter, policy: keyof Rates, limit: number) {
  const lease = Effect.fnUntraced(function* (id: string, tokens: number): Effect.fn.Return<Lease> {
    const taking = { algorithm: "token-bucket", window: period, limit, key: `${policy}:${id}`, tokens } as const
    const consumed = yield* Effect.result(limiter.consume(taking))
    if (Result.isSuccess(consumed)) return { left: tokens }
    const { reason } = consumed.failure
    if (reason._tag === "RateLimitStoreError") {
      yield* Effect.logWarning("A rate limit could not be asked, so requests pass uncounted")
      return { left: tokens, isBlind: true }
    }
    if (tokens > 1) return yield* lease(id, 1)
    return { left: 0, refusedUntil: (yield* Clock.currentTimeMillis) + Duration.toMillis(reason.retryAfter) }
  })
  const leases = yield* Cache.makeWith((id: string) => lease(id, rateLeaseSize(limit)), {
    capacity,
    timeToLive: (exit) => {
      if (Exit.isFailure(exit)) return Duration.zero
      return exit.value.isBlind ? unreachable : period
    }
  })

  /** Consumes one of the limit, or fails with `RateLimited`. */
  const consume: (id: string) => Effect.Effect<void, RateLimited> = Effect.fnUntraced(function* (id) {
    for (;;) {
      const lease = yield* Cache.get(leases, id)
      if (lease.left > 0) return void lease.left--
      const now = yield* Clock.currentTimeMillis
      if (lease.refusedUntil !== undefined && lease.refusedUntil > now) {
        yield* countRateLimited(policy)
        return yield* rateLimited(policy, limit, lease.refusedUntil - now)
      }
      yield* Cache.invalidateWhen(leases, id, (current) => current === lease)
    }
  })
  return consume
})

/**
 * Limits the requests of each key and account, and the wrong secrets of each address: `Settings.rates`, shared by all hosts on the
 * same engines. Each host leases a hundredth of a limit at once, which is the maximum error between two hosts. If the store can't
 * be reached, requests are accepted.
 */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Counts a request of a caller against the limits of its key and of its account. `RateLimited` over either of them. */
    readonly count: (caller: Caller) => Effect.Effect<void, RateLimited>
    /**
     * Runs an attempt with a secret, which fails with the problem `wrong` if the secret is wrong. Only failed attempts are logged and
     * counted for the client. Over the limit, a failed attempt is answered `RateLimited`, and a successful one as usual. Without a
     * client it is not counted.
     */
    readonly limitAttempt: <A, E extends { readonly _tag: string }, R>(
      by: Attempt,
      wrong: E["_tag"],
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
    /** Logs a failed attempt that no limit counts. Attempts of one client are sampled, so that they can't fill the log. */
    readonly logFailure: (by: Attempt) => Effect.Effect<void>
  }
>()("slipway/core/service/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const { rates } = yield* Settings
      const limiter = yield* makeRateLimiter
      const limitOf = (policy: keyof Rates) =>
        rates[policy] === undefined ? Effect.undefined : makeLimit(limiter, policy, rates[policy])
      const [keys, accounts, guesses] = [yield* limitOf("key"), yield* limitOf("account"), yield* limitOf("guesses")]

      const logFailure = makeSecurityLog()

      return RateLimits.of({
        count: ({ account, keyId }) => {
          const ofKey = keyId === undefined ? undefined : keys?.(keyId)
          const ofAccount = accounts?.(account.id) ?? Effect.void
          return ofKey === undefined ? ofAccount : Effect.andThen(ofKey, ofAccount)
        },
        limitAttempt: (by, wrong, attempt) =>
          Effect.tapError(attempt, ({ _tag }) => {
            if (_tag !== wrong) return Effect.void
            const { client } = by
            const counted = guesses === undefined || client === undefined ? Effect.void : guesses(client)
            return Effect.andThen(logFailure(by), counted)
          }),
        logFailure
      })
    })
  )
}
