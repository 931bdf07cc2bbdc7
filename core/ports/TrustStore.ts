import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Account, AccountId } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryId, RepositoryKey } from "../model/Repository.ts"
import type { RepositoryTrust } from "../model/RepositoryTrust.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A linked repository, the account that links it, and what it trusts of one issuer. */
export interface TrustedRepository {
  readonly repository: Repository
  readonly account: Account
  readonly trust: Option.Option<RepositoryTrust>
}

/**
 * Keeps which repositories get keys for identity tokens of which issuer, and which tokens were used. All times are given. The
 * next call sees a change, on every host of the same engine: nothing is cached.
 */
export class TrustStore extends Context.Service<
  TrustStore,
  {
    /** Stores a trust in the place of one of the same repository and issuer. Its repository is stored already. */
    readonly trust: (trust: RepositoryTrust) => Effect.Effect<void, WriteFailure>
    /** Ends a trust and answers whether there was one. */
    readonly untrust: (repository: RepositoryId, issuer: string) => Effect.Effect<boolean, WriteFailure>
    /** What the repositories trust that the account links now, in any order. */
    readonly list: (
      account: AccountId
    ) => Effect.Effect<ReadonlyArray<{ readonly trust: RepositoryTrust; readonly repository: Repository }>, Unavailable>
    /** The repository of that key, whichever account links it now, and what it trusts of the issuer. */
    readonly find: (
      repository: RepositoryKey,
      issuer: string
    ) => Effect.Effect<Option.Option<TrustedRepository>, Unavailable>
    /**
     * Stores the key for which a token was exchanged, that the token was used, and `event` (`Outbox`), all or nothing. Changes
     * nothing and answers `false` when a token with that hash was used already. Of two that come at once, one is answered
     * `true`. What was used may be forgotten after its `endsAt`, when it is before `now`.
     */
    readonly exchange: (change: {
      readonly tokenHash: string
      readonly endsAt: DateTime.Utc
      readonly now: DateTime.Utc
      readonly key: ApiKey
      readonly event?: SlipwayEvent | undefined
    }) => Effect.Effect<boolean, WriteFailure>
  }
>()("slipway/core/ports/TrustStore") {}
