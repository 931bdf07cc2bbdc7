/** What the API demands around every endpoint: who asks, what may be answered, and how it is refused. */
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import Negotiator from "negotiator"
import { Authentication, RequiredScopes } from "../../core/api/Authentication.ts"
import { BetweenFields } from "../../core/api/betweenFields.ts"
import { Negotiation } from "../../core/api/Negotiation.ts"
import { Refusals } from "../../core/api/Refusals.ts"
import { NotAcceptable, UnsupportedMediaType } from "../../core/model/Problem.ts"
import { Principal } from "../../core/model/Principal.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { answerProblems, invalidRequest } from "./problems.ts"

const layerAuthentication = Layer.effect(
  Authentication,
  Effect.map(Authorization, (authorization) =>
    Authentication.of({
      key: Effect.fnUntraced(function* (httpEffect, { credential, endpoint, group }) {
        const caller = yield* authorization.authenticate(credential)
        yield* authorization.require(
          caller,
          Context.get(Context.merge(group.annotations, endpoint.annotations), RequiredScopes)
        )
        return yield* Effect.provideService(httpEffect, Principal, caller)
      })
    })
  )
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

/** The body as it was sent; nothing when it is no JSON. Reading it again costs nothing: the text is kept. */
const sentBody = Effect.gen(function* () {
  const { text } = yield* HttpServerRequest.HttpServerRequest
  const body: unknown = JSON.parse(yield* text)
  return body
}).pipe(Effect.catchCause(() => Effect.undefined))

const layerRefusals = Layer.succeed(
  Refusals,
  Refusals.of((httpEffect, { endpoint }) =>
    httpEffect.pipe(
      Effect.catch((error) =>
        Effect.gen(function* () {
          if (!HttpApiError.HttpApiSchemaError.is(error) || error.kind !== "Payload") return yield* Effect.fail(error)
          const body = yield* sentBody
          if (body === undefined) return yield* Effect.fail(error)
          return yield* invalidRequest(error.cause, Context.get(endpoint.annotations, BetweenFields)(body))
        })
      ),
      answerProblems
    )
  )
)

export const layer = Layer.mergeAll(layerAuthentication, layerNegotiation, layerRefusals)
