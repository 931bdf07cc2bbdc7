import { Context, type DateTime, type Effect } from "effect"
import type { AccountId, AccountQuotas, Amounts, Quotas, QuotaUsage } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** The quotas of a commit: the sum of the used, the reserved and the `requested` amounts must not exceed `quotas`. */
export interface QuotaCheck {
  /** The month in which it counts, `2026-11`, in UTC. */
  readonly month: string
  readonly quotas: Quotas
  readonly requested: Amounts
}

/**
 * Stores how much each account uses, and its own quotas. The commits of `BuildStore`, `PreviewStore` and `TestRunStore` count the
 * usage themselves, so that it never has to be summed up. The `metadataBytes` of a stored record count until it is removed for any
 * reason. All times are given.
 */
export class UsageStore extends Context.Service<
  UsageStore,
  {
    /** The usage of the account in a month, such as `2026-11`, and at `now`. */
    readonly find: (account: AccountId, month: string, now: DateTime.Utc) => Effect.Effect<QuotaUsage, Unavailable>
    /** Replaces the account's own quotas. */
    readonly setQuotas: (quotas: AccountQuotas) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/ports/UsageStore") {}
