import { Context, Data } from "effect"
import type { Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"

/** The repository is linked to another account. */
export class LinkedElsewhere extends Data.TaggedError("LinkedElsewhere") {}

/**
 * Keeps which repository is linked to which account. A repository is found by its {@link RepositoryKey}, so without
 * regard to case, and is linked to at most one account at a time. The account of a link is one that an `AccountStore` of the same engine keeps.
 *
 * - `link` links it and answers the link. Linked to the account already: the link as it stands. Linked to it earlier
 *   and unlinked: the same repository id again, with the owner, repo and `linkedAt` as given now, so what was uploaded for it is
 *   seen again. Linked to another account: `LinkedElsewhere`, and nothing changes; of two accounts linking one
 *   repository at once, exactly one succeeds.
 * - `unlink` ends the account's link and answers whether there was one. What was uploaded stays, unseen.
 * - `find` answers the account's own link only. `list` answers its links ordered by owner, then repo (by their keys).
 */
export class RepositoryStore extends Context.Service<
  RepositoryStore,
  {
    readonly link: (repository: Repository) => Effect.Effect<Repository, LinkedElsewhere | Unavailable>
    readonly unlink: (account: AccountId, key: RepositoryKey) => Effect.Effect<boolean, Unavailable>
    readonly find: (account: AccountId, key: RepositoryKey) => Effect.Effect<Option.Option<Repository>, Unavailable>
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<Repository>, Unavailable>
  }
>()("slipway/core/ports/RepositoryStore") {}
