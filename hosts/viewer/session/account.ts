import { Effect, Redacted, Result } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"
import { idPattern } from "../../../core/model/Text.ts"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { NotFound, type InsufficientScope, type RateLimited, type Unauthorized } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { CurrentActor } from "../../../core/service/auditing.ts"
import { noteCaller } from "../../http/accessNotes.ts"
import { actorOfRequest } from "../../http/RequestOrigin.ts"
import { authenticateRequest } from "../../http/authenticate.ts"
import type { PageContext } from "../ui/layout.ts"
import { problemPage } from "../ui/message.ts"
import { pageContext } from "../ui/pageContext.ts"
import type { Visitor } from "../access/capability.ts"
import { redirectToSignIn, seenBy, visitor } from "./visitor.ts"
import { toLocalPath } from "../access/site.ts"

/** The errors of a page for an account. Each is answered with a page. */
type Refusal = RateLimited | Unauthorized | InsufficientScope | NotFound | WriteFailure

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
      Effect.tap(noteCaller),
      Effect.flatMap((caller) => {
        const context = seenBy(nobody, caller)
        return Effect.andThen(authorization.require(caller, scopes), actingAs(caller, show(caller, context))).pipe(
          Effect.catchTag(["InsufficientScope", "NotFound"], (problem) =>
            problemPage(context, problem, toLocalPath(url))
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
export const idIn = (id: string) => (idPattern.test(id) ? Effect.succeed(id) : Effect.fail(NotFound.answer))

/** The id that the path names, as {@link idIn}. */
export const idInPath = Effect.flatMap(HttpRouter.params, ({ id = "" }) => idIn(id))
