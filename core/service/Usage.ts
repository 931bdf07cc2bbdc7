import { Context, DateTime, Effect, Layer } from "effect"
import type { AccountId, AccountUsage, Amounts, Quotas } from "../model/Account.ts"
import type { InvalidRequest, QuotaExceeded, Unavailable } from "../model/Problem.ts"
import { UsageStore, type QuotaCheck } from "../ports/UsageStore.ts"
import { decideQuotas, monthOf, quotasOf, usageOf } from "../rules/limits.ts"
import { Settings } from "./Settings.ts"
import type { Reader } from "../model/ApiKey.ts"

const isEmpty = (quotas: Quotas): boolean => Object.keys(quotas).length === 0

/**
 * Returns the quotas of an account as bounds for the commit, which checks them, so that concurrent commits don't exceed a quota together;
 * `undefined` if no quota is set. Without the account's `own` quotas, reads and checks them first: `QuotaExceeded`.
 */
export const makeQuotas = Effect.gen(function* () {
  const store = yield* UsageStore
  const settings = yield* Settings

  return Effect.fnUntraced(function* (
    account: AccountId,
    requested: Amounts,
    now: DateTime.Utc,
    own?: Quotas
  ): Effect.fn.Return<QuotaCheck | undefined, QuotaExceeded | Unavailable> {
    const month = monthOf(now)
    if (own !== undefined) {
      const quotas = quotasOf({ own }, settings.quotas)
      return isEmpty(quotas) ? undefined : { month, quotas, requested }
    }
    const standing = yield* store.find(account, month, now)
    const quotas = quotasOf(standing, settings.quotas)
    if (isEmpty(quotas)) return undefined
    yield* Effect.fromResult(decideQuotas(standing, quotas, requested, now))
    return { month, quotas, requested }
  })
})

/** Reads the current usage of an account. */
export const makeUsageOf = Effect.gen(function* () {
  const store = yield* UsageStore
  const { quotas } = yield* Settings
  return Effect.fnUntraced(function* (account: AccountId) {
    const now = yield* DateTime.now
    return usageOf(yield* store.find(account, monthOf(now), now), quotas, now)
  })
})

/** The usage of an account's quotas. */
export class Usage extends Context.Service<
  Usage,
  {
    /** What the account stores and uploaded in this month, its reserved amounts, and its quotas. */
    readonly read: (reader: Reader) => Effect.Effect<AccountUsage, InvalidRequest | Unavailable>
  }
>()("slipway/core/service/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.map(makeUsageOf, (usageOf) => Usage.of({ read: ({ account }) => usageOf(account.id) }))
  )
}
