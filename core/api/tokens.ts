import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ApiKey } from "../model/ApiKey.ts"
import { RateLimited, Unauthorized } from "../model/Problem.ts"
import { Name } from "../model/Text.ts"
import { Negotiation, Refusals } from "./middleware.ts"

/** The identity token that a CI system gave to the run at hand. */
export const ExchangeTokenRequest = Schema.Struct({
  token: Schema.String.check(
    Schema.isPattern(/^[\x21-\x7e]{1,16384}$/u, { message: "must be 1 to 16384 visible ASCII characters" })
  ),
  repository: Schema.optionalKey(Name)
}).annotate({ identifier: "ExchangeTokenRequest" })

/** A key for a run of CI. This is the only time that `key` is shown. */
export const ExchangeTokenResponse = Schema.Struct({
  key: Schema.String,
  account: Schema.String,
  scopes: ApiKey.fields.scopes,
  expiresAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "ExchangeTokenResponse" })

/** The only endpoint that needs no key, because it creates one. Not part of the interface; see docs/api-behavior.md. */
export class TokensGroup extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("exchange", "/", {
      payload: ExchangeTokenRequest,
      success: ExchangeTokenResponse.pipe(HttpApiSchema.status(201)),
      error: [Unauthorized, RateLimited]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Exchange a CI system's identity token for a key of fifteen minutes",
        description:
          "The token's audience is this service's URL, and its repository is one that an account trusts (`slipway repo trust`). Each token of GitHub is exchanged once."
      })
    )
  )
  .prefix("/api/v1/token-exchange")
  .middleware(Negotiation)
  .middleware(Refusals) {}
