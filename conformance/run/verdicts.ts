import type { CheckResult, Verdict } from "../report/Report.ts"
import type { Planned } from "./plan.ts"

const isFailure = ({ level, outcome }: Pick<CheckResult, "level" | "outcome">): boolean =>
  outcome === "no-answer" || (outcome === "failed" && level === "MUST")

/**
 * The verdict of each claimed profile. `failed`: a MUST failed, or a request had no answer. `partial`: none did, but a MUST was
 * skipped, is blocked, is expected to fail, couldn't be judged or wasn't run. `conformant`: every MUST of `whole` was run and
 * passed. A SHOULD or a MAY changes no verdict.
 */
export const verdictsOf = (
  profiles: ReadonlyArray<CheckResult["profile"]>,
  results: ReadonlyArray<Pick<CheckResult, "id" | "profile" | "level" | "outcome">>,
  whole: ReadonlyArray<Pick<Planned, "id" | "profile">>
): Readonly<Record<string, Verdict>> => {
  const verdict = (profile: CheckResult["profile"]): Verdict => {
    const own = results.filter((one) => one.profile === profile)
    if (own.some(isFailure)) return "failed"
    const musts = own.filter(({ level }) => level === "MUST")
    const isWhole = whole.every((one) => one.profile !== profile || results.some(({ id }) => id === one.id))
    return isWhole && musts.every(({ outcome }) => outcome === "passed") ? "conformant" : "partial"
  }
  return Object.fromEntries(profiles.map((profile) => [profile, verdict(profile)]))
}
