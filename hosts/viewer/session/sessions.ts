import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { SessionId } from "../../../core/model/ApiKey.ts"
import { Sessions, type SessionCaller } from "../../../core/service/Sessions.ts"
import type { PageContext } from "../ui/layout.ts"
import { forAccount, idIn, idInPath } from "./account.ts"
import { goTo } from "../access/goTo.ts"
import { fromOwnPage } from "./ownPage.ts"
import { SessionCookie } from "./sessionCookie.ts"
import { sessionsPage } from "./sessionsPage.ts"

/** A page for who is signed in by a session of the viewer's. */
const forSession = <R>(
  show: (
    caller: SessionCaller,
    context: PageContext
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound | WriteFailure, R>
) =>
  forAccount([], ({ keyId, sessionId, ...caller }, context) =>
    keyId === undefined || sessionId === undefined
      ? Effect.fail(NotFound.answer)
      : show({ ...caller, keyId, sessionId }, context)
  )

const show = forSession(
  Effect.fnUntraced(function* (caller, context) {
    const sessions = yield* Sessions
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const asked = new URL(url, "http://viewer").searchParams.get("after")
    const after = asked === null ? undefined : SessionId.make(yield* idIn(asked))
    return sessionsPage(context, { ...(yield* sessions.list(caller, after)), after, own: caller.sessionId })
  })
)

const end = forSession(
  Effect.fnUntraced(function* (caller, { site }) {
    const sessions = yield* Sessions
    const cookie = yield* SessionCookie
    const id = SessionId.make(yield* idInPath)
    yield* sessions.end(caller, id)
    return id === caller.sessionId ? cookie.takeBack(goTo(site, "/sign-in")) : goTo(site, "/sessions")
  })
)

const endAll = forSession(
  Effect.fnUntraced(function* (caller, { site }) {
    const sessions = yield* Sessions
    const cookie = yield* SessionCookie
    yield* sessions.endAll(caller)
    return cookie.takeBack(goTo(site, "/sign-in"))
  })
)

/** The page that lists a key's sessions, and the actions of its buttons. */
export const routes = [
  HttpRouter.route("GET", "/sessions", show),
  HttpRouter.route("POST", "/sessions/:id/end", fromOwnPage(end)),
  HttpRouter.route("POST", "/sign-out-everywhere", fromOwnPage(endAll))
]
