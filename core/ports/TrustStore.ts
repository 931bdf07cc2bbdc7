import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Account, AccountId } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { PinnedIds, Repository, RepositoryId, RepositoryKey, RepositoryTrust } from "../model/Repository.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A linked repository, its account, and its trust in one issuer. */
export interface TrustedRepository {
  readonly repository: Repository
  readonly account: Account
  readonly trust: Option.Option<RepositoryTrust>
}

/** A single-use secret that expires at `endsAt`. */
export interface UsedOnce {
  readonly tokenHash: string
  readonly endsAt: DateTime.Utc
  readonly now: DateTime.Utc
}

/**
 * Stores which repositories get keys for identity tokens of which issuer, and which single-use secrets were used. All times are
 * given. Nothing is cached: the next call on any host of the same engine sees a change.
 */
export class TrustStore extends Context.Service<
  TrustStore,
  {
    /**
     * Stores a trust, which replaces one of the same repository and issuer. It inherits the pinned ids of the old one unless it has
     * its own. Its repository is stored already. Returns the stored trust.
     */
    readonly trust: (trust: RepositoryTrust) => Effect.Effect<RepositoryTrust, WriteFailure>
    /** Pins ids to a trust. Changes nothing and returns `false` if there is no such trust, or it has pinned ids already. */
    readonly pin: (repository: RepositoryId, issuer: string, ids: PinnedIds) => Effect.Effect<boolean, WriteFailure>
    /** Deletes a trust. Returns whether there was one. */
    readonly untrust: (repository: RepositoryId, issuer: string) => Effect.Effect<boolean, WriteFailure>
    /** The trusts of the repositories that the account links now, in any order. */
    readonly list: (
      account: AccountId
    ) => Effect.Effect<ReadonlyArray<{ readonly trust: RepositoryTrust; readonly repository: Repository }>, Unavailable>
    /** The repository of that key, linked to any account, and its trust in the issuer. */
    readonly find: (
      repository: RepositoryKey,
      issuer: string
    ) => Effect.Effect<Option.Option<TrustedRepository>, Unavailable>
    /** Whether any repository trusts the issuer. */
    readonly isTrusted: (issuer: string) => Effect.Effect<boolean, Unavailable>
    /**
     * Stores that a single-use secret was used. Changes nothing and returns `false` if one with that hash was used already. Of
     * concurrent calls, one returns `true`. The record may be deleted when its `endsAt` is before `now`.
     */
    readonly use: (secret: UsedOnce) => Effect.Effect<boolean, WriteFailure>
    /**
     * Atomically stores the key for which a token was exchanged, the use of the token (as in `use`), and `event` (`Outbox`).
     * Changes nothing and returns `false` if a token with that hash was used already.
     */
    readonly exchange: (
      change: UsedOnce & { readonly key: ApiKey; readonly event?: SlipwayEvent | undefined }
    ) => Effect.Effect<boolean, WriteFailure>
  }
>()("slipway/core/ports/TrustStore") {}
