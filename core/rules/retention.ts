/**
 * How long is kept what was finalized, registered and billed: which rules fit together, and what they let go.
 *
 * Nothing goes unless a rule says so. The rules of an account stand above the deployment's, each for itself.
 */
import { DateTime, Duration } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { RetentionPeriod, RetentionRules } from "../model/Retention.ts"
import type { SweepOrder } from "../model/Sweep.ts"

/** A rule that can't be: which one, and why. */
export interface RuleRefused {
  readonly rule: keyof RetentionRules
  readonly message: string
}

/** What was billed is counted by the month, so the current month and the one before it stay. */
const shortestBilled = Duration.days(62)

const lengthOf = (kept: RetentionPeriod | undefined): Duration.Duration =>
  kept === undefined || kept === "forever" ? Duration.infinity : kept

/** The rules that hold for an account. */
export const rulesFor = (deployment: RetentionRules, account: RetentionRules = {}): RetentionRules => ({
  ...deployment,
  ...account
})

/**
 * Why rules can't hold together, if so. Nothing is kept for a shorter time than a reservation lives; a branch keeps one build at
 * least; a run isn't kept for longer than its preview, without which it shows nothing.
 */
export const refuseRules = (rules: RetentionRules, reservationTtl: Duration.Duration): RuleRefused | undefined => {
  const shortest = Duration.max(reservationTtl, Duration.hours(1))
  for (const rule of ["previews", "runs", "builds"] as const) {
    if (Duration.isLessThan(lengthOf(rules[rule]), shortest)) {
      const message = `must be ${Duration.format(shortest)} or longer, which is as long as an upload may take, or forever`
      return { rule, message }
    }
  }
  if (Duration.isLessThan(lengthOf(rules.billed), shortestBilled)) {
    const message = `must be ${Duration.format(shortestBilled)} or longer, as usage counts whole months, or forever`
    return { rule: "billed", message }
  }
  const { buildsPerBranch = "all" } = rules
  if (buildsPerBranch !== "all" && !(Number.isInteger(buildsPerBranch) && buildsPerBranch >= 1)) {
    return { rule: "buildsPerBranch", message: "must be a whole number, 1 or more, as the latest build stays, or all" }
  }
  const [runs, previews] = [lengthOf(rules.runs), lengthOf(rules.previews)]
  return Duration.isGreaterThan(runs, previews) && rules.runs !== undefined
    ? {
        rule: "runs",
        message: `must not be longer than previews are kept (${Duration.format(previews)}), which runs show`
      }
    : undefined
}

/**
 * What goes of an account at `now`. Where the rules of the account and those of the deployment contradict each other, because
 * one of them was changed since, more is kept: a preview is kept for as long as runs are.
 */
export const ordersOf = (account: AccountId, rules: RetentionRules, now: DateTime.Utc): ReadonlyArray<SweepOrder> => {
  const before = (kept: Duration.Duration): DateTime.Utc | undefined =>
    Duration.isFinite(kept) ? DateTime.subtractDuration(now, kept) : undefined
  const aged = {
    runs: before(lengthOf(rules.runs)),
    previews: before(
      rules.runs === undefined ? lengthOf(rules.previews) : Duration.max(lengthOf(rules.previews), lengthOf(rules.runs))
    ),
    billed: before(lengthOf(rules.billed))
  }
  const until = before(lengthOf(rules.builds))
  const keep = rules.buildsPerBranch === "all" ? undefined : rules.buildsPerBranch
  return [
    ...(["runs", "previews", "billed"] as const).flatMap((rule) => {
      const at = aged[rule]
      return at === undefined ? [] : [{ rule, account, until: at }]
    }),
    ...(until === undefined && keep === undefined ? [] : [{ rule: "builds" as const, account, now, until, keep }])
  ]
}
