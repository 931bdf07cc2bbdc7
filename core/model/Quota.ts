import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** The quotas of an account: stored bytes, and uploads and runs in a month (UTC). */
export const QuotaName = Schema.Literals(["bytesStored", "bytesPerMonth", "previewsPerMonth", "runsPerMonth"])
export type QuotaName = typeof QuotaName.Type

const amount = Schema.optionalKey(Schema.Natural)

/** The limit of each quota. An absent quota is unlimited. */
export const Quotas = Schema.Struct({
  bytesStored: amount,
  bytesPerMonth: amount,
  previewsPerMonth: amount,
  runsPerMonth: amount
})
export type Quotas = typeof Quotas.Type

/** The amount of a quota that an account's own quotas set to unlimited. */
export const unlimited = Number.MAX_SAFE_INTEGER

/** An amount of each quota. */
export type Amounts = Readonly<Record<QuotaName, number>>

/** An account's own quotas, which override those of the settings. */
export const AccountQuotas = Schema.Struct({ accountId: AccountId, ...Quotas.fields })
export type AccountQuotas = typeof AccountQuotas.Type

/** The usage of an account. */
export interface QuotaUsage {
  /**
   * The finalized uploads and registered runs of the requested month; for `bytesStored`, of all time. Sizes are the declared ones.
   * Deleted uploads still count in their month, but not in `bytesStored`. `bytesStored` includes the `metadataBytes` of every stored
   * reservation and run.
   */
  readonly used: Amounts
  /** The amounts of its open reservations, which are neither finalized nor expired. */
  readonly reserved: Amounts
  /** Its own quotas, which override those of the settings. */
  readonly own: Quotas
}

/** The used amount of a quota, the amount of open reservations, and the limit, unless it is unlimited. */
export const UsedAmount = Schema.Struct({
  used: Schema.Finite,
  reserved: Schema.Finite,
  limit: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "UsedAmount" })
export type UsedAmount = typeof UsedAmount.Type

/** The usage of an account: what it stores, and its uploads and runs in this month (`2026-11`, UTC), which ends at `resetsAt`. */
export const AccountUsage = Schema.Struct({
  month: Schema.String,
  resetsAt: Schema.DateTimeUtcFromString,
  bytesStored: UsedAmount,
  bytesPerMonth: UsedAmount,
  previewsPerMonth: UsedAmount,
  runsPerMonth: UsedAmount
})
export type AccountUsage = typeof AccountUsage.Type
