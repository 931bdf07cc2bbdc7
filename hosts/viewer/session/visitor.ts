import { Effect, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Unauthorized, type RateLimited, type Unavailable } from "../../../core/model/Problem.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { noteCaller } from "../../http/accessNotes.ts"
import { callHook } from "../../http/authenticate.ts"
import type { Visitor } from "../access/capability.ts"
import { OwnSessions, PersonAnswer } from "../access/ownSessions.ts"
import type { PageContext } from "../ui/layout.ts"
import { SessionCookie } from "./sessionCookie.ts"
import { signInPage } from "./signInPage.ts"

/** The request as the embedder gave it to `fetch`. */
export const webRequest = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  Effect.orDie(HttpServerRequest.toWeb(request))
)

const anonymous = new Unauthorized({ detail: "Nobody is signed in." })

/**
 * Who looks: by the embedder's sessions where there are any, else by the viewer's cookie. From here on, the request waits for the
 * turn of that account.
 */
export const visitor: Effect.Effect<
  Visitor,
  Unauthorized | RateLimited | Unavailable,
  SessionCookie | Authorization | HttpServerRequest.HttpServerRequest
> = Effect.gen(function* () {
  const own = yield* OwnSessions
  if (own === undefined) return yield* (yield* SessionCookie).caller
  const request = yield* webRequest
  const person = yield* callHook("sessions.who", PersonAnswer, () => own.who(request))
  if (person === undefined) return yield* anonymous
  return { ...(yield* (yield* Authorization).admitExternal(person)), ownSession: person.session }
}).pipe(Effect.tap(noteCaller))

/** The context of a page that somebody sees who is signed in. */
export const seenBy = (context: PageContext, { account, scopes, sessionId }: Visitor) => ({
  ...context,
  account,
  mayDelete: scopes.includes("delete"),
  mayAdminister: scopes.includes("account_admin"),
  hasSessions: sessionId !== undefined
})

/** The answer to a request for `to`, a path of the viewer, without sign-in. It doesn't show whether the page exists. */
export const redirectToSignIn = Effect.fnUntraced(function* (
  context: PageContext,
  to: string
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, Unavailable> {
  const own = yield* OwnSessions
  if (own === undefined) return signInPage(context, { to, status: 401, headers: { "www-authenticate": "Cookie" } })
  const url = yield* callHook("sessions.signIn", Schema.String, () => own.signIn(context.site.url + to))
  return HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } })
})
