/** Pages for signed-in people: who looks, what the key may see, and the pages that refuse others. */
import { Effect, Redacted, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"
import type { Caller, Scope } from "../../../core/model/ApiKey.ts"
import {
  type InsufficientScope,
  type InvalidRequest,
  NotFound,
  type RateLimited,
  Unauthorized,
  type Unavailable
} from "../../../core/model/Problem.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { idPattern } from "../../../core/model/Text.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { type ShareLinkEnded, ShareLinks } from "../../../core/service/ShareLinks.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { CurrentActor } from "../../../core/service/auditing.ts"
import { actorOfRequest, limitAttempt, noteCaller, noteOwner } from "../../http/requestContext.ts"
import { authenticateRequest, callHook } from "../../http/authenticate.ts"
import type { Visitor } from "../access/capability.ts"
import { OwnSessions, PersonResult } from "../access/ownSessions.ts"
import { toLocalPath } from "../access/site.ts"
import { linkEndedPage, messagePage, pageContext, type PageContext, problemPage } from "../ui/layout.ts"
import { SessionCookie } from "./sessionCookie.ts"
import { signInPage } from "./signIn.ts"

/** The errors of a page for an account. Each is answered with a page. */
type Refusal = InvalidRequest | RateLimited | Unauthorized | InsufficientScope | NotFound | WriteFailure

const actingAs = <A, E, R>(caller: Visitor, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(actorOfRequest(caller), (acting) => Effect.provideService(effect, CurrentActor, acting))

/**
 * A page for people who are signed in with these scopes. Others are asked to sign in before anything is looked up, so that
 * reveals nothing about what exists.
 */
export const forAccount = <R>(
  scopes: ReadonlyArray<Scope>,
  show: (caller: Visitor, context: PageContext) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, R>
) =>
  Effect.gen(function* () {
    const authorization = yield* Authorization
    const nobody = yield* pageContext
    const { method, url } = yield* HttpServerRequest.HttpServerRequest

    return yield* visitor.pipe(
      Effect.flatMap((caller) => {
        const context = seenBy(nobody, caller)
        return Effect.andThen(authorization.require(caller, scopes), actingAs(caller, show(caller, context))).pipe(
          Effect.catchTag(["InsufficientScope", "InvalidRequest", "NotFound"], (problem) =>
            // What a service refuses here was in the address, so there is no such page.
            problemPage(context, problem._tag === "InvalidRequest" ? NotFound.default : problem, toLocalPath(url))
          )
        )
      }),
      Effect.catchTag("Unauthorized", () => redirectToSignIn(nobody, method === "POST" ? "/" : toLocalPath(url))),
      Effect.catchTag(["Unavailable", "InsufficientStorage"], (problem) => problemPage(nobody, problem))
    )
  })

const presentedKey = HttpApiBuilder.securityDecode(HttpApiSecurity.bearer)

/**
 * Like {@link forAccount}, but a request may also be one as for the API, by a key or the embedder's `authenticate`; an
 * invalid key is then refused as the API does.
 */
export const forAccountOrKey = <R>(
  scopes: ReadonlyArray<Scope>,
  show: (caller: Visitor) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, R>
) =>
  Effect.gen(function* () {
    const key = yield* presentedKey
    const asked = yield* Effect.result(Effect.flatMap(authenticateRequest, (callerWith) => callerWith(key)))
    const isNobody = Result.isFailure(asked) && asked.failure._tag === "Unauthorized"
    if (isNobody && Redacted.value(key) === "") return yield* forAccount(scopes, show)
    const caller = yield* Effect.fromResult(asked)
    yield* (yield* Authorization).require(caller, scopes)
    return yield* actingAs(caller, show(caller))
  })

/** A text from a URL as an id; `NotFound` if it can't be one. */
export const idIn = (id: string) => (idPattern.test(id) ? Effect.succeed(id) : Effect.fail(NotFound.default))

/** The id that the path names, as {@link idIn}. */
export const idInPath = Effect.flatMap(HttpRouter.params, ({ id = "" }) => idIn(id))

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
  const person = yield* callHook("sessions.who", PersonResult, () => own.who(request))
  if (person === undefined) return yield* anonymous
  const caller = Effect.catchTag((yield* Authorization).admitExternal(person), "InvalidRequest", () => anonymous)
  return { ...(yield* caller), ownSession: person.session }
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
  if (context.inFrame === true) {
    return messagePage(context, {
      status: 401,
      title: "You are not signed in",
      text:
        "A frame of another site has no session, also while you are signed in. Its author can frame a share link instead: " +
        "create it on the page of the app, and add /embed to its URL.",
      link: { to: to.replace(/\/embed(?=\?|$)/, ""), label: "Open the page of the app" }
    })
  }
  const own = yield* OwnSessions
  if (own === undefined) return signInPage(context, { to, status: 401, headers: { "www-authenticate": "Cookie" } })
  const url = yield* callHook("sessions.signIn", Schema.String, () => own.signIn(context.site.url + to))
  return HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } })
})

/** The result if the key may see it, else `undefined`. */
export const ifAllowed = <A, E, R>(caller: Caller, scope: Scope, effect: Effect.Effect<A, E, R>) =>
  caller.scopes.includes(scope) ? effect : Effect.undefined

/** Of listed runs, those that no later attempt of their CI run replaced, each with the attempts that it replaced. */
export const latestRuns = Effect.fnUntraced(function* (caller: Caller, listed: ReadonlyArray<TestRunView>) {
  const tests = yield* (yield* TestRuns).attempts(caller, listed)
  return tests.filter(([latest], index) => latest.run.id === listed[index]?.run.id)
})

/** The share link with that secret; wrong secrets are counted for the address that they come from. */
export const sharedBy = (secret: string) =>
  Effect.flatMap(ShareLinks, (links) => limitAttempt({ kind: "share_link" }, "NotFound", links.open(secret))).pipe(
    Effect.tap(({ accountId }) => noteOwner(accountId))
  )

/** A read-only page for anyone with the secret of a share link in the path. It has no links to other pages. */
export const forShared = <R>(
  show: (
    context: PageContext,
    secret: string
  ) => Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    InvalidRequest | NotFound | ShareLinkEnded | RateLimited | Unavailable,
    R
  >
) =>
  Effect.gen(function* () {
    const { secret = "" } = yield* HttpRouter.params
    const context = { ...(yield* pageContext), shared: true }
    return yield* show(context, secret).pipe(
      Effect.catch((error) =>
        error._tag === "ShareLinkEnded"
          ? Effect.succeed(linkEndedPage(context))
          : problemPage(context, error._tag === "InvalidRequest" ? NotFound.default : error)
      ),
      // The URL alone opens the page, so no other site may learn it from a Referer header.
      Effect.map(HttpServerResponse.setHeader("referrer-policy", "no-referrer"))
    )
  })
