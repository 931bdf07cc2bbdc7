import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** What an account has a quota of: bytes that are kept now, and what was made in a month (UTC). */
export const QuotaName = Schema.Literals(["bytesKept", "bytesPerMonth", "previewsPerMonth", "runsPerMonth"])
export type QuotaName = typeof QuotaName.Type

const amount = Schema.optionalKey(Schema.Natural)

/** How much of each an account may have; of one that is absent, any amount. */
export const Quotas = Schema.Struct({
  bytesKept: amount,
  bytesPerMonth: amount,
  previewsPerMonth: amount,
  runsPerMonth: amount
})
export type Quotas = typeof Quotas.Type

/** The amount of a quota that an account's own quotas set to have no end. */
export const unlimited = Number.MAX_SAFE_INTEGER

/** How much of each quota something takes. */
export type Amounts = Readonly<Record<QuotaName, number>>

/** An account's own quotas, which come before those of the settings. */
export const AccountQuotas = Schema.Struct({ accountId: AccountId, ...Quotas.fields })
export type AccountQuotas = typeof AccountQuotas.Type

/** Where an account stands. */
export interface Standing {
  /**
   * What was finalized, and of runs what was registered: in the month that was asked for, and of `bytesKept` what is kept of
   * all time. The sizes are those that were declared. What was deleted counts in its month still, and not in `bytesKept`. The
   * `metadataBytes` of every reservation and run are in `bytesKept` from when it is stored.
   */
  readonly used: Amounts
  /** What its open reservations, which are neither finalized nor over, would take. */
  readonly reserved: Amounts
  /** Its own quotas, which come before those of the settings. */
  readonly own: Quotas
}

/** How much of a quota is used, how much open reservations would take, and how much there may be, unless that is any amount. */
export const UsedAmount = Schema.Struct({
  used: Schema.Finite,
  reserved: Schema.Finite,
  limit: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "UsedAmount" })
export type UsedAmount = typeof UsedAmount.Type

/** Where an account stands: what it keeps, and what it made in this month, `2026-11` in UTC, which ends at `resetsAt`. */
export const AccountUsage = Schema.Struct({
  month: Schema.String,
  resetsAt: Schema.DateTimeUtcFromString,
  bytesKept: UsedAmount,
  bytesPerMonth: UsedAmount,
  previewsPerMonth: UsedAmount,
  runsPerMonth: UsedAmount
})
export type AccountUsage = typeof AccountUsage.Type
