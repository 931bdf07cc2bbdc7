/**
 * How long builds, previews, runs, histories and billing records are kept: which rules are valid together, and what they expire.
 *
 * Nothing expires without a rule. Each rule of an account overrides the deployment's rule of the same name.
 */
import { DateTime, Duration } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { RetentionPeriod, RetentionRules } from "../model/Retention.ts"
import type { RetentionSelection } from "../model/Sweep.ts"

/** An invalid rule, and why. */
export interface RuleRefused {
  readonly rule: keyof RetentionRules
  readonly message: string
}

/** Usage is counted by month, so billing records of the current and the previous month stay. */
const shortestBilled = Duration.days(62)

const lengthOf = (kept: RetentionPeriod | undefined): Duration.Duration =>
  kept === undefined || kept === "forever" ? Duration.infinity : kept

/** The rules that hold for an account. */
export const rulesFor = (deployment: RetentionRules, account: RetentionRules = {}): RetentionRules => ({
  ...deployment,
  ...account
})

/**
 * Why rules are invalid together, if they are. Nothing is kept for less time than a reservation lives; a branch keeps at least one
 * build; a run isn't kept for longer than its preview, which it shows.
 */
export const refuseRules = (rules: RetentionRules, reservationTtl: Duration.Duration): RuleRefused | undefined => {
  const shortest = Duration.max(reservationTtl, Duration.hours(1))
  for (const rule of ["previews", "runs", "histories", "builds"] as const) {
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
 * Selects what expires of an account at `now`. If the rules of the account and of the deployment contradict each other after a
 * change, more is kept: a preview for as long as runs.
 */
export const selectionsOf = (
  account: AccountId,
  rules: RetentionRules,
  now: DateTime.Utc
): ReadonlyArray<RetentionSelection> => {
  const before = (kept: Duration.Duration): DateTime.Utc | undefined =>
    Duration.isFinite(kept) ? DateTime.subtractDuration(now, kept) : undefined
  const aged = {
    runs: before(lengthOf(rules.runs)),
    previews: before(
      rules.runs === undefined ? lengthOf(rules.previews) : Duration.max(lengthOf(rules.previews), lengthOf(rules.runs))
    ),
    histories: before(lengthOf(rules.histories)),
    ci_runs: before(lengthOf(rules.histories)),
    billed: before(lengthOf(rules.billed))
  }
  const until = before(lengthOf(rules.builds))
  const keep = rules.buildsPerBranch === "all" ? undefined : rules.buildsPerBranch
  return [
    ...(["runs", "previews", "histories", "ci_runs", "billed"] as const).flatMap((rule) => {
      const at = aged[rule]
      return at === undefined ? [] : [{ rule, account, until: at }]
    }),
    ...(until === undefined && keep === undefined ? [] : [{ rule: "builds" as const, account, now, until, keep }])
  ]
}
