import { Effect, type DateTime } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Amounts, Quotas } from "../model/Quota.ts"
import type { QuotaExceeded, Unavailable } from "../model/Problem.ts"
import { UsageStore, type QuotaCheck } from "../ports/UsageStore.ts"
import { decideQuotas, monthOf, quotasOf } from "../rules/quotas.ts"
import { Settings } from "./Settings.ts"

const isEmpty = (quotas: Quotas): boolean => Object.keys(quotas).length === 0

/**
 * Checks the quotas of an account, and returns the bounds for the commit, so that concurrent commits don't exceed a quota together;
 * `undefined` if no quota is set. Fails with `QuotaExceeded`. If the account's `own` quotas are given, the store isn't read: the
 * commit itself checks the bounds, see `makeReserveUpload`.
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
