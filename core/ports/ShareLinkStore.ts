import { Context } from "effect"
import type { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Shared, ShareLink, ShareLinkId } from "../model/ShareLink.ts"

/**
 * Keeps share links. A change is seen by the next call, on every host of the same engine: nothing is cached.
 *
 * - `insert` stores a new link. Its id and hash are new, its account is there already. What it shares is a name here:
 *   nobody looks whether there is such a thing.
 * - `findByHash` and `find` answer a link, whether or not it is expired or revoked.
 * - `list` answers the account's links to one thing, those that are over too, newest first (by id): behind `after` where
 *   it is given, at most `limit`.
 * - `revoke` sets `revokedAt` of a link of the account, unless it is set already: the first revocation stands. Answers
 *   the link as it is then; `none` when the account has no such link.
 */
export class ShareLinkStore extends Context.Service<
  ShareLinkStore,
  {
    readonly insert: (link: ShareLink) => Effect.Effect<void, Unavailable>
    readonly findByHash: (secretHash: string) => Effect.Effect<Option.Option<ShareLink>, Unavailable>
    readonly find: (id: ShareLinkId) => Effect.Effect<Option.Option<ShareLink>, Unavailable>
    readonly list: (query: {
      readonly account: AccountId
      readonly shared: Shared
      readonly after?: ShareLinkId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ShareLink>, Unavailable>
    readonly revoke: (
      account: AccountId,
      id: ShareLinkId,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<ShareLink>, Unavailable>
  }
>()("slipway/core/ports/ShareLinkStore") {}
