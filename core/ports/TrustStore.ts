import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Account, AccountId } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryId, RepositoryKey } from "../model/Repository.ts"
import type { PinnedIds, RepositoryTrust } from "../model/RepositoryTrust.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A linked repository, the account that links it, and what it trusts of one issuer. */
export interface TrustedRepository {
  readonly repository: Repository
  readonly account: Account
  readonly trust: Option.Option<RepositoryTrust>
}

/** A secret that counts once, until `endsAt`. */
export interface UsedOnce {
  readonly tokenHash: string
  readonly endsAt: DateTime.Utc
  readonly now: DateTime.Utc
}

/**
 * Keeps which repositories get keys for identity tokens of which issuer, and which secrets that count once were used. All times are given. The
 * next call sees a change, on every host of the same engine: nothing is cached.
 */
export class TrustStore extends Context.Service<
  TrustStore,
  {
    /**
     * Stores a trust in the place of one of the same repository and issuer, whose pinned ids it keeps unless it has its own. Its
     * repository is stored already. Answers the trust as stored.
     */
    readonly trust: (trust: RepositoryTrust) => Effect.Effect<RepositoryTrust, WriteFailure>
    /** Pins ids to a trust. Changes nothing and answers `false` when there is no such trust or ids are pinned to it already. */
    readonly pin: (repository: RepositoryId, issuer: string, ids: PinnedIds) => Effect.Effect<boolean, WriteFailure>
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
    /** Whether any repository trusts the issuer. */
    readonly isTrusted: (issuer: string) => Effect.Effect<boolean, Unavailable>
    /**
     * Stores that a secret which counts once was used. Changes nothing and answers `false` when one with that hash was used already.
     * Of two calls at once, one is answered `true`. What was used may be forgotten after its `endsAt`, when it is before `now`.
     */
    readonly use: (secret: UsedOnce) => Effect.Effect<boolean, WriteFailure>
    /**
     * Stores the key for which a token was exchanged, that the token was used as `use` does, and `event` (`Outbox`), all or
     * nothing. Changes nothing and answers `false` when a token with that hash was used already.
     */
    readonly exchange: (
      change: UsedOnce & { readonly key: ApiKey; readonly event?: SlipwayEvent | undefined }
    ) => Effect.Effect<boolean, WriteFailure>
  }
>()("slipway/core/ports/TrustStore") {}
