import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"
import { idPattern } from "../../../core/model/Id.ts"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { InsufficientScope, Unauthorized } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import type { SessionCaller } from "../../../core/service/Sessions.ts"
import type { PageContext } from "../ui/layout.ts"
import { missingScopePage, notFoundPage, writeFailurePages } from "../ui/message.ts"
import { signInPage } from "./signInPage.ts"
import { pageContext } from "../ui/pageContext.ts"
import type { Visitor } from "../access/capability.ts"
import { SessionCookie } from "./sessionCookie.ts"
import { toLocalPath } from "../access/site.ts"

/** The errors of a page for an account. Each is answered with a page. */
type Refusal = Unauthorized | InsufficientScope | NotFound | WriteFailure

/**
 * A page for people signed in with a key that has these scopes. Others get the sign-in page before anything is looked
 * up, so it reveals nothing about what exists.
 */
export const forAccount = <R>(
  scopes: ReadonlyArray<Scope>,
  show: (
    caller: SessionCaller,
    context: PageContext
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, R>
) =>
  Effect.gen(function* () {
    const cookie = yield* SessionCookie
    const authorization = yield* Authorization
    const nobody = yield* pageContext
    const { method, url } = yield* HttpServerRequest.HttpServerRequest

    const signIn = () =>
      Effect.succeed(
        signInPage(nobody, {
          to: method === "POST" ? "/" : toLocalPath(url),
          status: 401,
          headers: { "www-authenticate": "Cookie" }
        })
      )

    return yield* cookie.caller.pipe(
      Effect.flatMap((caller) => {
        const context = { ...nobody, account: caller.account }
        return Effect.andThen(authorization.require(caller, scopes), show(caller, context)).pipe(
          Effect.catchTags({
            InsufficientScope: ({ requiredScopes }) =>
              Effect.succeed(missingScopePage(context, requiredScopes, toLocalPath(url))),
            NotFound: () => Effect.succeed(notFoundPage(context))
          })
        )
      }),
      Effect.catchTags({
        Unauthorized: signIn,
        ...writeFailurePages(nobody)
      })
    )
  })

const presentedKey = HttpApiBuilder.securityDecode(HttpApiSecurity.bearer)

/**
 * Like {@link forAccount}, but a request may also bring a key as for the API; an invalid key is then refused as the API
 * does.
 */
export const forAccountOrKey = <R>(
  scopes: ReadonlyArray<Scope>,
  show: (caller: Visitor) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, R>
) =>
  Effect.gen(function* () {
    const key = yield* presentedKey
    if (Redacted.value(key) === "") return yield* forAccount(scopes, show)
    const authorization = yield* Authorization
    const caller = yield* authorization.authenticate(key)
    yield* authorization.require(caller, scopes)
    return yield* show(caller)
  })

/** A text from a URL as an id; `NotFound` if it can't be one. */
export const idIn = (id: string) => (idPattern.test(id) ? Effect.succeed(id) : Effect.fail(NotFound.answer))

/** The id that the path names, as {@link idIn}. */
export const idInPath = Effect.flatMap(HttpRouter.params, ({ id = "" }) => idIn(id))
