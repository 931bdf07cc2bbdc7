import { Context, Data, type DateTime, type Effect } from "effect"
import type { Unavailable } from "../model/Problem.ts"

/** A token that proves nothing; `reason` is a sentence for who sent it. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly reason: string }> {}

/** What a token says of itself, whether or not it is true. */
export interface ClaimedIdentity {
  readonly issuer: string
  /** `OWNER/NAME`. */
  readonly repository: string
}

/** What a verified token proves. */
export interface ProvenIdentity extends ClaimedIdentity {
  /** No other token of the issuer has it. */
  readonly id: string
  /** When the token is over, however far the clocks differ. */
  readonly endsAt: DateTime.Utc
}

/** Reads and verifies the identity tokens (JWTs of OpenID Connect) that CI systems give to their runs. */
export interface TokenVerifier {
  /** What a token claims. `TokenRefused` when it is no token. */
  readonly read: (token: string) => Effect.Effect<ClaimedIdentity, TokenRefused>
  /**
   * Verifies a token with the keys that its issuer publishes. `TokenRefused` when the issuer didn't sign it, it is for another
   * audience, over or not valid yet; `Unavailable` when the issuer can't be asked.
   */
  readonly verify: (
    token: string,
    expected: { readonly issuer: string; readonly audience: string }
  ) => Effect.Effect<ProvenIdentity, TokenRefused | Unavailable>
}

/** How a host verifies identity tokens; without it none is exchanged. */
export const IdentityTokens = Context.Reference<TokenVerifier | undefined>("slipway/core/ports/IdentityTokens", {
  defaultValue: () => undefined
})
