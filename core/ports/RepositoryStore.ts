import { Context, Data, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** The repository is linked to another account. */
export class LinkedElsewhere extends Data.TaggedError("LinkedElsewhere") {}

/**
 * Keeps which repository is linked to which account. A repository is found by its {@link RepositoryKey}, so without regard
 * to case, and is linked to at most one account at a time.
 */
export class RepositoryStore extends Context.Service<
  RepositoryStore,
  {
    /**
     * Links a repository to an account of the same engine and answers the link.
     *
     * | the repository is | what happens |
     * | --- | --- |
     * | not linked | it is linked |
     * | linked to the account | nothing changes; the answer is the link as it is |
     * | unlinked from the account earlier | it is linked under the id that it had, with owner, repo and `linkedAt` as given now: what was uploaded for it shows again |
     * | linked to another account | `LinkedElsewhere`, and nothing changes |
     *
     * Of two accounts that link one repository at once, exactly one succeeds.
     */
    readonly link: (repository: Repository) => Effect.Effect<Repository, LinkedElsewhere | WriteFailure>
    /**
     * Ends the account's link, and what the repository trusts (`TrustStore`), and answers whether there was a link. What was
     * uploaded is kept, and no longer shown.
     */
    readonly unlink: (account: AccountId, key: RepositoryKey) => Effect.Effect<boolean, WriteFailure>
    /** The account's link to that repository; `none` when another account has it. */
    readonly find: (account: AccountId, key: RepositoryKey) => Effect.Effect<Option.Option<Repository>, Unavailable>
    /** The account's links, ordered by owner, then repo (by their keys). */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<Repository>, Unavailable>
  }
>()("slipway/core/ports/RepositoryStore") {}
