import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Scope } from "../../model/ApiKey.ts"
import { InsufficientScope, RateLimited, Unauthorized, Unavailable } from "../../model/Problem.ts"
import { Principal } from "../../model/Principal.ts"

/**
 * The scopes that an endpoint or its group demands: an annotation on either. It has no default: a request to an endpoint
 * without it is a defect, and admits nobody.
 *
 * @see docs/interface.md#5
 */
export class RequiredScopes extends Context.Service<RequiredScopes, readonly [Scope, ...ReadonlyArray<Scope>]>()(
  "slipway/core/api/RequiredScopes"
) {}

/**
 * `Authorization: Bearer <key>`: resolves the key to its {@link Principal} and demands the {@link RequiredScopes}.
 *
 * @see docs/interface.md#5
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Principal }>()(
  "slipway/core/api/Authentication",
  {
    requiredForClient: true,
    security: { key: HttpApiSecurity.bearer },
    error: [Unauthorized, InsufficientScope, RateLimited, Unavailable]
  }
) {}
