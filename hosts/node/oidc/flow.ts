import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { makeSeal } from "../../viewer/access/seal.ts"
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
    /** Takes it back: an answer of the provider's counts once. */
    drop: (response: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.expireCookieUnsafe(response, name, attributes)
  }
}
