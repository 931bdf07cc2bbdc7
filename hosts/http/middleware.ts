/** The middleware of every endpoint: authentication, content negotiation, and refusals as problems. */
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import Negotiator from "negotiator"
import {
  Authentication,
  Negotiation,
  NotAcceptable,
  Refusals,
  RequiredScopes,
  UnsupportedMediaType
} from "../../core/api/middleware.ts"
import { Principal } from "../../core/model/ApiKey.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { CurrentActor } from "../../core/service/auditing.ts"
import { actorOfRequest } from "./actorOfRequest.ts"
import { authenticateRequest } from "./authenticate.ts"
import { answerProblems } from "./problems.ts"

const layerAuthentication = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const authorization = yield* Authorization
    const callerWith = yield* authenticateRequest
    return Authentication.of({
      key: Effect.fnUntraced(function* (httpEffect, { credential, endpoint, group }) {
        const caller = yield* callerWith(credential)
        const scopes =
          Context.getOrUndefined(endpoint.annotations, RequiredScopes) ??
          Context.getOrUndefined(group.annotations, RequiredScopes)
        if (scopes === undefined) return yield* Effect.die(`the endpoint ${endpoint.path} demands no scope`)
        yield* authorization.require(caller, scopes)
        const acting = yield* actorOfRequest(caller)
        return yield* httpEffect.pipe(
          Effect.provideService(Principal, caller),
          Effect.provideService(CurrentActor, acting)
        )
      })
    })
  })
)

const offered = ["application/json", "application/problem+json"]

const layerNegotiation = Layer.succeed(
  Negotiation,
  Negotiation.of(
    Effect.fnUntraced(function* (httpEffect) {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? "")) {
        return yield* new UnsupportedMediaType({ detail: "The body must be sent without a content encoding." })
      }
      return new Negotiator({ headers: { accept: headers["accept"] } }).mediaType(offered) === undefined
        ? yield* new NotAcceptable({ detail: "This service answers application/json only." })
        : yield* httpEffect
    })
  )
)

const layerRefusals = Layer.succeed(
  Refusals,
  Refusals.of((httpEffect) => answerProblems(httpEffect))
)

export const layer = Layer.mergeAll(layerAuthentication, layerNegotiation, layerRefusals)
