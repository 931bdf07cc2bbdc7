import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { hashSecret } from "../../../core/rules/credentials.ts"
import { makeSeal } from "../../viewer/access/capability.ts"
import { isSecure, type Site } from "../../viewer/access/site.ts"

/** How long people have at the provider. */
const life = Duration.minutes(10)

/** A sign-in that is under way: what the provider's answer has to fit, and the path to open afterwards. */
const Flow = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  to: Schema.String,
  until: Schema.DateTimeUtcFromMillis
})
export type Flow = Omit<typeof Flow.Type, "until">

/** Uses up a sign-in that is under way, on every host of the deployment, and answers whether this is the first time. */
export const useFlow = Effect.fnUntraced(function* ({ state, until }: typeof Flow.Type) {
  // Remembered for longer than the cookie counts, because the clocks of hosts differ.
  const endsAt = DateTime.addDuration(until, life)
  return yield* (yield* TrustStore).use({
    tokenHash: hashSecret(`sign-in\n${state}`),
    endsAt,
    now: yield* DateTime.now
  })
})

/** Keeps the sign-in that is under way with the browser that began it, in a signed cookie. */
export const makeFlowCookie = (site: Site["Service"], secret: SigningSecret) => {
  const secure = isSecure(site)
  const name = secure ? "__Host-slipway-oidc" : "slipway-oidc"
  // Lax: the way back from the provider is a link from another site.
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure } as const
  const { open, seal } = makeSeal(Flow, { secret, purpose: "oidc" })
  return {
    /** The sign-in that the request's browser began, unless its time is over. */
    flow: Effect.gen(function* () {
      const { cookies } = yield* HttpServerRequest.HttpServerRequest
      const flow = Option.getOrUndefined(open(cookies[name] ?? ""))
      return flow !== undefined && DateTime.isLessThan(yield* DateTime.now, flow.until) ? flow : undefined
    }),
    keep: (response: HttpServerResponse.HttpServerResponse, flow: Flow) =>
      Effect.map(DateTime.now, (now) =>
        HttpServerResponse.setCookieUnsafe(response, name, seal({ ...flow, until: DateTime.addDuration(now, life) }), {
          ...attributes,
          maxAge: life
        })
      ),
    /** Deletes the cookie of a sign-in that ended. */
    drop: (response: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.expireCookieUnsafe(response, name, attributes)
  }
}
