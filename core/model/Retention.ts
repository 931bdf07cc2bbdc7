import { Schema } from "effect"
import { AccountId } from "./Account.ts"

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
