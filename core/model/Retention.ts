import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** How long something is kept: for so long, or for ever. */
export const RetentionPeriod = Schema.Union([Schema.Literal("forever"), Schema.DurationFromMillis])
export type RetentionPeriod = typeof RetentionPeriod.Type

/**
 * How long is kept what was finalized, registered and billed. `builds` is the age of a ready build, and `buildsPerBranch` how
 * many ready builds of a branch and platform are kept; whichever says that a build goes, it goes. What isn't said here is
 * said by the deployment's own rules; and what they don't say, is kept for ever.
 */
export const RetentionRules = Schema.Struct({
  previews: Schema.optionalKey(RetentionPeriod),
  runs: Schema.optionalKey(RetentionPeriod),
  builds: Schema.optionalKey(RetentionPeriod),
  buildsPerBranch: Schema.optionalKey(Schema.Union([Schema.Literal("all"), Schema.Int])),
  billed: Schema.optionalKey(RetentionPeriod)
})
export type RetentionRules = typeof RetentionRules.Type

/** The rules of an account, which stand above the deployment's. */
export const AccountRetention = Schema.Struct({ accountId: AccountId, rules: RetentionRules })
export type AccountRetention = typeof AccountRetention.Type
