import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, AccountRetention, RetentionRules } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Resource } from "../model/Resource.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** Since when a resource is kept, and its account. */
export interface KeptResource {
  readonly at: DateTime.Utc
  readonly accountId: AccountId
}

/** A released resource: its account, and since when it was kept, if it was. */
export interface ReleasedResource {
  readonly keptAt?: DateTime.Utc | undefined
  readonly accountId: AccountId
}

/** Stores the retention rules of accounts, and which resources are kept regardless of them. */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** The account's rules, if it has any. */
    readonly rules: (account: AccountId) => Effect.Effect<Option.Option<RetentionRules>, Unavailable>
    /** Replaces the account's rules. An empty set deletes them. */
    readonly setRules: (retention: AccountRetention) => Effect.Effect<void, WriteFailure>
    /**
     * Keeps a resource, of `account` if given: sets its `keptAt`, and no rule expires it from then on. A kept run keeps its preview.
     * A resource that is kept already stays unchanged. Returns since when it is kept, and its account; `none` if it doesn't exist. Its
     * repository need not be linked.
     */
    readonly keep: (
      resource: Resource,
      at: DateTime.Utc,
      account?: AccountId
    ) => Effect.Effect<Option.Option<KeptResource>, WriteFailure>
    /**
     * Releases a resource: retention rules apply to it again. Returns its account, and since when it was kept; `none` if it doesn't
     * exist. A resource that isn't kept is not an error.
     */
    readonly release: (
      resource: Resource,
      account?: AccountId
    ) => Effect.Effect<Option.Option<ReleasedResource>, WriteFailure>
  }
>()("slipway/core/ports/RetentionStore") {}
