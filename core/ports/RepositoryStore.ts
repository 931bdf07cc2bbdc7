import { Context, Data, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryKey, RepositorySettings } from "../model/Repository.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** The repository is linked to another account. */
export class LinkedElsewhere extends Data.TaggedError("LinkedElsewhere") {}

/**
 * Stores which repository is linked to which account. A repository is found by its {@link RepositoryKey}, which ignores case,
 * and is linked to at most one account at a time.
 */
export class RepositoryStore extends Context.Service<
  RepositoryStore,
  {
    /**
     * Links a repository to an account of the same engine and returns the link.
     *
     * | the repository is | what happens |
     * | --- | --- |
     * | not linked | it is linked |
     * | linked to the account | nothing changes; the existing link is returned |
     * | unlinked from the account earlier | it is linked under the id that it had, with owner, repo, `linkedAt` and settings as given now: its uploads are shown again |
     * | linked to another account | `LinkedElsewhere`, and nothing changes |
     *
     * If two accounts link one repository concurrently, exactly one succeeds.
     */
    readonly link: (repository: Repository) => Effect.Effect<Repository, LinkedElsewhere | WriteFailure>
    /**
     * Ends the account's link and the trusts of the repository (`TrustStore`). Returns whether there was a link. Uploads are kept
     * and no longer shown.
     */
    readonly unlink: (account: AccountId, key: RepositoryKey) => Effect.Effect<boolean, WriteFailure>
    /** Replaces all settings of the account's link. Returns whether there is such a link. */
    readonly configure: (
      account: AccountId,
      key: RepositoryKey,
      settings: RepositorySettings
    ) => Effect.Effect<boolean, WriteFailure>
    /** The account's link to that repository; `none` if another account links it. */
    readonly find: (account: AccountId, key: RepositoryKey) => Effect.Effect<Option.Option<Repository>, Unavailable>
    /** The account's links, ordered by owner, then repo (by their keys). */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<Repository>, Unavailable>
  }
>()("slipway/core/ports/RepositoryStore") {}
