import { Context, Data, type DateTime, type Effect } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { CiRun } from "../model/RepositoryTrust.ts"

/** A token that proves nothing; `reason` is a sentence for the log. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly reason: string }> {}

/** What a verified token proves. */
export interface ProvenIdentity extends CiRun {
  readonly issuer: string
  /** No other token of the issuer has it. */
  readonly id: string
  /** When the token is over, however far the clocks differ. */
  readonly endsAt: DateTime.Utc
  /** `OWNER/NAME`. */
  readonly repository: string
}

/** Reads and verifies the identity tokens (JWTs of OpenID Connect) that CI systems give to their runs. */
export interface TokenVerifier {
  /** The issuer that a token claims, whether or not that is true. `TokenRefused` when it is no token. */
  readonly issuerOf: (token: string) => Effect.Effect<string, TokenRefused>
  /**
   * Verifies a token with the keys that its issuer publishes. `TokenRefused` when the issuer didn't sign it, it is for another
   * audience, over or not valid yet; `Unavailable` when the issuer can't be asked. Many calls at once ask it once, and an issuer
   * that doesn't answer isn't asked again with the next call.
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
