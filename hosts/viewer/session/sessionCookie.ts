import { Context, Effect, Layer, Option, type Duration } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { KeyCaller } from "../../../core/model/ApiKey.ts"
import type { InvalidRequest, Unauthorized, Unavailable } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { sessionLife } from "../../../core/rules/credentials.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { CurrentActor } from "../../../core/service/auditing.ts"
import { Sessions, type SessionCaller } from "../../../core/service/Sessions.ts"
import { isSecure, Site } from "../access/site.ts"

/** The cookie of a signed-in person. It contains a session's random secret and no readable data. */
export class SessionCookie extends Context.Service<
  SessionCookie,
  {
    /**
     * Begins a session of the caller's key, of `life` where that is given, and ends the session whose cookie the request brought. Returns `response`
     * with the new session's cookie.
     */
    readonly begin: (
      response: HttpServerResponse.HttpServerResponse,
      caller: Pick<KeyCaller, "account" | "keyId">,
      life?: Duration.Duration
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      InvalidRequest | WriteFailure,
      HttpServerRequest.HttpServerRequest
    >
    /** Ends the session whose cookie the request brought, if any, and removes the cookie with `response`. */
    readonly signOut: (
      response: HttpServerResponse.HttpServerResponse
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, WriteFailure, HttpServerRequest.HttpServerRequest>
    /** Removes the cookie of an ended session with `response`. */
    readonly takeBack: (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
    /** The signed-in caller of the request; `Unauthorized` without the cookie of a live session. */
    readonly caller: Effect.Effect<SessionCaller, Unauthorized | Unavailable, HttpServerRequest.HttpServerRequest>
  }
>()("slipway/hosts/viewer/SessionCookie") {
  static readonly layer = Layer.effect(
    SessionCookie,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const site = yield* Site
      const secure = isSecure(site)
      // With the prefix `__Host-`, browsers accept the cookie only from this host, for all its paths, and over HTTPS.
      const prefix = site.base === "" ? "__Host-" : "__Secure-"
      const name = secure ? `${prefix}slipway` : "slipway"
      const attributes = { path: site.base || "/", httpOnly: true, sameSite: "lax", secure } as const

      const secretIn = ({ cookies }: HttpServerRequest.HttpServerRequest): string => cookies[name] ?? ""
      const takeBack = (response: HttpServerResponse.HttpServerResponse) =>
        HttpServerResponse.expireCookieUnsafe(response, name, attributes)

      return SessionCookie.of({
        begin: Effect.fnUntraced(function* (response, caller, life = sessionLife) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { secret } = yield* sessions.begin(caller, {
            // The peer's, unless a trusted proxy names another: anyone can send `X-Forwarded-For`.
            from: {
              address: Option.getOrUndefined(request.remoteAddress),
              userAgent: request.headers["user-agent"]
            },
            replaces: secretIn(request),
            life
          })
          return HttpServerResponse.setCookieUnsafe(response, name, secret, { ...attributes, maxAge: life })
        }),
        signOut: Effect.fnUntraced(function* (response) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const address = Option.getOrUndefined(request.remoteAddress)
          const ended = Effect.catchTag(sessions.signOut(secretIn(request)), "InvalidRequest", Effect.die)
          yield* Effect.updateService(ended, CurrentActor, (acting) => ({
            ...acting,
            ...withoutUndefined({ address })
          }))
          return takeBack(response)
        }),
        takeBack,
        caller: HttpServerRequest.HttpServerRequest.use((request) =>
          Effect.catchTag(sessions.resolve(secretIn(request)), "InvalidRequest", Effect.die)
        )
      })
    })
  )
}
