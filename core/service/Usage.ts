import { Context, DateTime, Effect, Layer } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Reader } from "../model/Principal.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { AccountUsage } from "../model/Quota.ts"
import { UsageStore } from "../ports/UsageStore.ts"
import { monthOf, usageOf } from "../rules/quotas.ts"
import { Settings } from "./Settings.ts"

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
    readonly read: (reader: Reader) => Effect.Effect<AccountUsage, Unavailable>
  }
>()("slipway/core/service/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.map(makeUsageOf, (usageOf) => Usage.of({ read: ({ account }) => usageOf(account.id) }))
  )
}
