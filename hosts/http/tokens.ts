import { Effect } from "effect"
import { ExchangeTokenRequest, TokensGroup } from "../../core/api/tokens.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { TokenExchange } from "../../core/service/TokenExchange.ts"
import { endpoints } from "./endpoints.ts"
import { limitAttempt } from "./requestContext.ts"
import { jsonBody } from "./jsonBody.ts"

/** The exchange of identity tokens for keys, over the service. */
export const layer = endpoints(
  TokensGroup,
  Effect.gen(function* () {
    const tokens = yield* TokenExchange
    const limits = yield* RateLimits
    const bodyOf = yield* jsonBody(ExchangeTokenRequest)

    return {
      exchange: Effect.fnUntraced(function* (request) {
        const { repository, token } = yield* bodyOf(request)
        const { account, key, record } = yield* limitAttempt(
          { kind: "identity_token" },
          "Unauthorized",
          tokens.exchange(token, repository)
        ).pipe(Effect.provideService(RateLimits, limits))
        const { createdAt, expiresAt = createdAt, scopes } = record
        return { key, account: account.name, scopes, expiresAt }
      })
    }
  })
)
