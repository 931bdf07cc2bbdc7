import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { KeyId } from "../../../core/model/ApiKey.ts"
import type { Principal } from "../../../core/model/Principal.ts"
import { Unauthorized } from "../../../core/model/Problem.ts"
import type { Unavailable } from "../../../core/model/Problem.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { makeSeal } from "./seal.ts"
import { isSecure, Site } from "./site.ts"

const life = Duration.days(7)

const Session = Schema.Struct({ keyId: KeyId, issuedAt: Schema.DateTimeUtcFromMillis })

const signedOut = new Unauthorized({ detail: "Nobody is signed in here." })

/**
 * Who is signed in: a sealed cookie names the key that signed in, and the key is looked up with every request. So a
 * session ends after 7 days, or at the request after its key is revoked or has expired.
 *
 * - `begin` answers `response` with the cookie, `end` takes the cookie back.
 * - `caller` is who sends the request at hand; `Unauthorized` without a session.
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    readonly begin: (
      response: HttpServerResponse.HttpServerResponse,
      keyId: KeyId
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    readonly end: (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
    readonly caller: Effect.Effect<
      Principal["Service"],
      Unauthorized | Unavailable,
      HttpServerRequest.HttpServerRequest
    >
  }
>()("slipway/hosts/viewer/Sessions") {
  static readonly layer = (options: { readonly secret: Redacted.Redacted }) =>
    Layer.effect(
      Sessions,
      Effect.gen(function* () {
        const authorization = yield* Authorization
        const secure = isSecure(yield* Site)
        const { open, seal } = makeSeal(Session, { secret: options.secret, purpose: "session" })
        // The prefix makes browsers refuse such a cookie from any other host, and without HTTPS.
        const name = secure ? "__Host-slipway" : "slipway"
        const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure } as const

        return Sessions.of({
          begin: Effect.fnUntraced(function* (response, keyId) {
            const value = seal({ keyId, issuedAt: yield* DateTime.now })
            return HttpServerResponse.setCookieUnsafe(response, name, value, { ...attributes, maxAge: life })
          }),
          end: (response) => HttpServerResponse.expireCookieUnsafe(response, name, attributes),
          caller: Effect.gen(function* () {
            const { cookies } = yield* HttpServerRequest.HttpServerRequest
            const session = Option.getOrUndefined(open(cookies[name] ?? ""))
            if (session === undefined) return yield* signedOut
            const end = DateTime.addDuration(session.issuedAt, life)
            if (DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, end)) return yield* signedOut
            return yield* authorization.authenticateById(session.keyId)
          })
        })
      })
    )
}
