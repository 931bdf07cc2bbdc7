import { Context, Data, type DateTime, type Effect } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { WorkflowRun } from "../model/RepositoryTrust.ts"

/** A token that is not valid; `reason` is a sentence for the log. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly reason: string }> {}

/** What a verified token proves. */
export interface ProvenIdentity extends WorkflowRun {
  readonly issuer: string
  /** No other token of the issuer has it. Absent for a CI that gives all steps of a job the same token, which they all may exchange. */
  readonly id?: string | undefined
  /** When the token expires, including the tolerance for clock skew. */
  readonly endsAt: DateTime.Utc
  /** `OWNER/NAME`. Absent for a CI whose tokens don't have it: `ids` alone prove whose run it is. */
  readonly repository?: string | undefined
}

/** Reads and verifies the identity tokens (JWTs of OpenID Connect) that CI systems give to their runs. */
export interface TokenVerifier {
  /** The issuer that a token claims, unverified. `TokenRefused` if it is not a token. */
  readonly issuerOf: (token: string) => Effect.Effect<string, TokenRefused>
  /**
   * Verifies a token with the keys that its issuer publishes. `TokenRefused` if the issuer didn't sign it, or if it is for another
   * audience, expired or not valid yet. `Unavailable` if the issuer can't be reached. Concurrent calls share one request to the
   * issuer. After a failed request, the next call doesn't retry immediately.
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
