import { Schema } from "effect"
import { Name } from "./Text.ts"

/** The id of an account. */
export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** The owner of repositories, keys and uploads. `name` is unique. */
export const Account = Schema.Struct({
  id: AccountId,
  name: Name,
  createdAt: Schema.DateTimeUtcFromString
})
export type Account = typeof Account.Type

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

/** How long a resource is kept: a duration, or forever. */
export const RetentionPeriod = Schema.Union([Schema.Literal("forever"), Schema.DurationFromMillis])
export type RetentionPeriod = typeof RetentionPeriod.Type

/**
 * How long finalized uploads, runs, histories and billing records are kept. `histories` counts from the last run of a test, and from the
 * start of a CI run. `builds` is the maximum age of a ready build, and
 * `buildsPerBranch` the number of ready builds kept per branch, platform and app. A build expires if either rule expires it. The rules
 * of the deployment apply for absent rules. Without any rule, resources are kept forever.
 */
export const RetentionRules = Schema.Struct({
  previews: Schema.optionalKey(RetentionPeriod),
  runs: Schema.optionalKey(RetentionPeriod),
  histories: Schema.optionalKey(RetentionPeriod),
  builds: Schema.optionalKey(RetentionPeriod),
  buildsPerBranch: Schema.optionalKey(Schema.Union([Schema.Literal("all"), Schema.Int])),
  billed: Schema.optionalKey(RetentionPeriod)
})
export type RetentionRules = typeof RetentionRules.Type

/** The rules of an account, which override the deployment's. */
export const AccountRetention = Schema.Struct({ accountId: AccountId, rules: RetentionRules })
export type AccountRetention = typeof AccountRetention.Type
