import { Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"
import type { RateLimited } from "../../core/model/Problem.ts"
import { CurrentActor } from "../../core/service/auditing.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import type { Attempt } from "../../core/service/securityLog.ts"
import { canonicalAddress, clientOf } from "./clientAddress.ts"

/** What a request with this context shows, and from where. */
const attemptIn = (context: Context.Context<never>, shown: Pick<Attempt, "kind" | "keyPrefix">): Attempt => {
  const { remoteAddress } = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
  const address = canonicalAddress(remoteAddress)
  return {
    ...shown,
    client: clientOf(address),
    address: address && NetAddress.formatIp(address),
    route: Context.getOrUndefined(context, HttpRouter.RouteContext)?.route.path
  }
}

/** `RateLimits.limitAttempt` for the sender of the current request. */
export const limitAttemptBy =
  (limits: RateLimits["Service"]) =>
  <A, E extends { readonly _tag: string }, R>(
    shown: Pick<Attempt, "kind" | "keyPrefix">,
    wrong: E["_tag"],
    attempt: Effect.Effect<A, E, R>
  ) =>
    Effect.withFiber<A, E | RateLimited, R | HttpServerRequest.HttpServerRequest>(({ context }) => {
      const by = attemptIn(context, shown)
      const { address } = by
      if (address === undefined) return limits.limitAttempt(by, wrong, attempt)
      // The actor in the audit log is the secret's owner; the address is that of the request.
      const acting = { ...Context.get(context, CurrentActor), address }
      return limits.limitAttempt(by, wrong, Effect.provideService(attempt, CurrentActor, acting))
    })

/** The same by the service in the context. */
export const limitAttempt = <A, E extends { readonly _tag: string }, R>(
  shown: Pick<Attempt, "kind" | "keyPrefix">,
  wrong: E["_tag"],
  attempt: Effect.Effect<A, E, R>
) => Effect.flatMap(RateLimits, (limits) => limitAttemptBy(limits)(shown, wrong, attempt))

/** `RateLimits.logFailure` of the request at hand. */
export const logFailure = (kind: Attempt["kind"]) =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest | RateLimits>) =>
    Context.get(context, RateLimits).logFailure(attemptIn(context, { kind }))
  )
