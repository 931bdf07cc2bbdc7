import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Caller } from "../../../core/model/Principal.ts"
import type { Unauthorized, Unavailable } from "../../../core/model/Problem.ts"
import { sessionLife } from "../../../core/rules/sessions.ts"
import { Sessions } from "../../../core/service/Sessions.ts"
import type { SessionCaller } from "../../../core/service/Sessions.ts"
import { isSecure, Site } from "../access/site.ts"

/** The cookie of who is signed in. It holds the secret of a session, which tells nothing to who reads it. */
export class SessionCookie extends Context.Service<
  SessionCookie,
  {
    /**
     * Begins a session of the key that the caller presented, and ends the one whose cookie the request brings. Answers
     * `response` with the new session's cookie.
     */
    readonly begin: (
      response: HttpServerResponse.HttpServerResponse,
      caller: Caller
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Unavailable, HttpServerRequest.HttpServerRequest>
    /** Ends the session whose cookie the request brings, if it brings one, and takes that back with `response`. */
    readonly signOut: (
      response: HttpServerResponse.HttpServerResponse
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Unavailable, HttpServerRequest.HttpServerRequest>
    /** Takes the cookie of a session that was ended back with `response`. */
    readonly takeBack: (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
    /** Who sends the request; `Unauthorized` when it brings no cookie of a session that has not ended. */
    readonly caller: Effect.Effect<SessionCaller, Unauthorized | Unavailable, HttpServerRequest.HttpServerRequest>
  }
>()("slipway/hosts/viewer/SessionCookie") {
  static readonly layer = Layer.effect(
    SessionCookie,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const secure = isSecure(yield* Site)
      // The prefix makes browsers refuse such a cookie from any other host, and without HTTPS.
      const name = secure ? "__Host-slipway" : "slipway"
      const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure } as const

      const secretIn = ({ cookies }: HttpServerRequest.HttpServerRequest): string => cookies[name] ?? ""
      const takeBack = (response: HttpServerResponse.HttpServerResponse) =>
        HttpServerResponse.expireCookieUnsafe(response, name, attributes)

      return SessionCookie.of({
        begin: Effect.fnUntraced(function* (response, caller) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { secret } = yield* sessions.begin(caller, {
            // The address of the peer: anyone can send `X-Forwarded-For`.
            from: {
              address: Option.getOrUndefined(request.remoteAddress),
              userAgent: request.headers["user-agent"]
            },
            replaces: secretIn(request)
          })
          return HttpServerResponse.setCookieUnsafe(response, name, secret, { ...attributes, maxAge: sessionLife })
        }),
        signOut: Effect.fnUntraced(function* (response) {
          yield* sessions.signOut(secretIn(yield* HttpServerRequest.HttpServerRequest))
          return takeBack(response)
        }),
        takeBack,
        caller: HttpServerRequest.HttpServerRequest.use((request) => sessions.resolve(secretIn(request)))
      })
    })
  )
}
