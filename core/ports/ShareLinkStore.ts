import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Shared, ShareLink, ShareLinkId } from "../model/Resource.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** Stores share links. Nothing is cached: the next call on any host of the same engine sees a change. */
export class ShareLinkStore extends Context.Service<
  ShareLinkStore,
  {
    /**
     * Stores a new link, and `event` with it (`Outbox`). Its id and hash are new, and its account is stored already. It does not
     * check whether the shared resource exists.
     */
    readonly insert: (link: ShareLink, event?: SlipwayEvent) => Effect.Effect<void, WriteFailure>
    /** The link whose secret has that SHA-256 (lower-case hex), also when it is expired or revoked. */
    readonly findByHash: (secretHash: string) => Effect.Effect<Option.Option<ShareLink>, Unavailable>
    /** The link with that id, also when it is expired or revoked. */
    readonly find: (id: ShareLinkId) => Effect.Effect<Option.Option<ShareLink>, Unavailable>
    /**
     * At most `limit` links of the account to one resource, including expired and revoked ones, newest first (by id): only those
     * older than `after`, if given.
     */
    readonly list: (query: {
      readonly account: AccountId
      readonly shared: Shared
      readonly after?: ShareLinkId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ShareLink>, Unavailable>
    /**
     * Sets `revokedAt` of a link of the account, unless it is set: the first revocation counts, and only its `event` is
     * stored, with it (`Outbox`). Returns the link after the change; `none` if the account has no such link.
     */
    readonly revoke: (
      account: AccountId,
      id: ShareLinkId,
      at: DateTime.Utc,
      event?: SlipwayEvent
    ) => Effect.Effect<Option.Option<ShareLink>, WriteFailure>
  }
>()("slipway/core/ports/ShareLinkStore") {}
