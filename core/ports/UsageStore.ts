import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AccountQuotas, Amounts, Quotas, Standing } from "../model/Quota.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** What a commit may not exceed: with what is used and reserved already, `asked` has to lie within `quotas`. */
export interface Within {
  /** The month in which it counts, `2026-11`, in UTC. */
  readonly month: string
  readonly quotas: Quotas
  readonly requested: Amounts
}

/**
 * Keeps how much each account uses, and its own quotas. What is used is counted by the commits of `BuildStore`, `PreviewStore`
 * and `TestRunStore` themselves, so that it never has to be summed up. What is stored counts its `metadataBytes` until it is removed, however
 * that happens. All times are given.
 */
export class UsageStore extends Context.Service<
  UsageStore,
  {
    /** Where the account stands in a month, `2026-11`, and at `now`. */
    readonly find: (account: AccountId, month: string, now: DateTime.Utc) => Effect.Effect<Standing, Unavailable>
    /** Stores the account's own quotas in the place of those it had. */
    readonly setQuotas: (quotas: AccountQuotas) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/ports/UsageStore") {}
