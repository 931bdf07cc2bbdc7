import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { CurrentActor } from "../../core/service/auditing.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import type { Attempt } from "../../core/service/securityLog.ts"
import { canonicalAddress, clientOf } from "./clientAddress.ts"

/** What the request at hand shows, and from where. */
const attemptOf = (shown: Pick<Attempt, "kind" | "keyPrefix">) =>
  Effect.gen(function* (): Effect.fn.Return<Attempt, never, HttpServerRequest.HttpServerRequest> {
    const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
    const address = canonicalAddress(remoteAddress)
    const matched = Option.getOrUndefined(yield* Effect.serviceOption(HttpRouter.RouteContext))
    return {
      ...shown,
      client: clientOf(address),
      address: address && NetAddress.formatIp(address),
      route: matched?.route.path
    }
  })

/** `RateLimits.limitAttempt` for the sender of the current request. */
export const limitAttempt = <A, E extends { readonly _tag: string }, R>(
  shown: Pick<Attempt, "kind" | "keyPrefix">,
  wrong: E["_tag"],
  attempt: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const by = yield* attemptOf(shown)
    // The actor in the audit log is the secret's owner; the address is that of the request.
    const acting = { ...(yield* CurrentActor), ...withoutUndefined({ address: by.address }) }
    return yield* (yield* RateLimits).limitAttempt(by, wrong, Effect.provideService(attempt, CurrentActor, acting))
  })

/** `RateLimits.logFailure` of the request at hand. */
export const logFailure = (kind: Attempt["kind"]) =>
  Effect.gen(function* () {
    yield* (yield* RateLimits).logFailure(yield* attemptOf({ kind }))
  })
