import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"
import { ExchangeTokenRequest } from "../../core/api/tokens.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { TokenExchange } from "../../core/service/TokenExchange.ts"
import { limitAttempt } from "./limitAttempt.ts"
import { jsonBody } from "./jsonBody.ts"

/** The exchange of identity tokens for keys, over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "tokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* TokenExchange
    const limits = yield* RateLimits
    const bodyOf = yield* jsonBody(ExchangeTokenRequest)

    return handlers.handleRaw(
      "exchange",
      Effect.fnUntraced(function* (request) {
        const { repository, token } = yield* bodyOf(request)
        const { account, key, record } = yield* limitAttempt(
          { kind: "identity_token" },
          "Unauthorized",
          tokens.exchange(token, repository)
        ).pipe(Effect.provideService(RateLimits, limits))
        const { createdAt, expiresAt = createdAt, scopes } = record
        return { key, account: account.name, scopes, expiresAt }
      })
    )
  })
)
