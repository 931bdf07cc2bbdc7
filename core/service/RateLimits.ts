import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Result } from "effect"
import type { RateLimiter } from "effect/persistence"
import type { Caller } from "../model/Principal.ts"
import type { RateLimited } from "../model/Problem.ts"
import { rateLimited, ratePeriodSeconds, rateLeaseSize, type Rates } from "../rules/rates.ts"
import { countRateLimited } from "./metrics.ts"
import { makeRateLimiter } from "./rateLimiter.ts"
import { makeSecurityLog, type Attempt } from "./securityLog.ts"
import { Settings } from "./Settings.ts"

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
    const taken = yield* Effect.result(limiter.consume(taking))
    if (Result.isSuccess(taken)) return { left: tokens }
    const { reason } = taken.failure
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
        count: Effect.fnUntraced(function* ({ account, keyId }) {
          if (keyId !== undefined) yield* keys?.(keyId) ?? Effect.void
          yield* accounts?.(account.id) ?? Effect.void
        }),
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
