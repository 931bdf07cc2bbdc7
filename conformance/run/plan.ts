import { Effect } from "effect"
import type { Check, Profile } from "../checks/steps/Check.ts"
import type { Config } from "../config/Config.ts"
import { levelOf, proves } from "../requirements/proves.ts"
import type { Level } from "../requirements/Requirement.ts"
import { choicesKept } from "./choices.ts"
import { Refused } from "../config/Refused.ts"

export interface Planned {
  readonly id: string
  readonly profile: Profile
  readonly title: string
  readonly level: Level
  /** The ids of the sentences that it proves. */
  readonly requirements: ReadonlyArray<string>
  /** `undefined` for the checks that the runner adds, which judge the observations of the others. */
  readonly check: Check | undefined
}

export interface Selection {
  readonly profiles: ReadonlyArray<Profile>
  /** Ids; when empty, every check is selected. The id of a `choices-kept` check selects its whole profile. */
  readonly only: ReadonlyArray<string>
  /** Only checks that create nothing on the target with this config. */
  readonly readOnly: boolean
  readonly supplied?: Config["supplied"]
}

/** The checks of a run in the order of the report. */
export interface Plan {
  readonly selection: Selection
  readonly planned: ReadonlyArray<Planned>
  /** The ids of all checks of a complete run. */
  readonly whole: ReadonlyArray<Pick<Planned, "id" | "profile">>
}

const plannedOf = (check: Check): Planned => ({
  id: check.id,
  profile: check.profile,
  title: check.title,
  level: levelOf(check.id),
  requirements: proves(check.id).map(({ id }) => id),
  check
})

const keptChoices = ({ id, profile, title }: (typeof choicesKept)[number]): Planned => ({
  id,
  profile,
  title,
  level: "MUST",
  requirements: [],
  check: undefined
})

/** Every check for a target that claims these profiles. */
export const wholePlan = (checks: ReadonlyArray<Check>, profiles: ReadonlyArray<Profile>): ReadonlyArray<Planned> =>
  [...checks.map(plannedOf), ...choicesKept.map(keptChoices)].filter(({ profile }) => profiles.includes(profile))

/** How many letters two ids share at their beginnings and ends, to suggest the intended id. */
const shared = (one: string, other: string): number => {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start += 1
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return start + end
}

export const unknownId = (id: string, ids: ReadonlyArray<string>): Refused => {
  const nearest = ids.toSorted((one, other) => shared(id, other) - shared(id, one))[0]
  return new Refused({
    message: `No check is called ${id}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`
  })
}

/** Whether a check creates nothing on the target with this config. */
const onlyReads = (check: Check, supplied: Config["supplied"]): boolean =>
  check.readOnly === true ||
  (check.supplied !== undefined && check.supplied.every((name) => supplied[name] !== undefined))

/** The plan of a run. Refused: a plan without a check, and an unknown id. */
export const plan = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  selection: Selection
): Effect.fn.Return<Plan, Refused> {
  const { only, profiles, readOnly, supplied = {} } = selection
  const everything = wholePlan(checks, ["builds", "previews", "testRuns"])
  const ids = everything.map(({ id }) => id)
  const unknown = only.find((id) => !ids.includes(id))
  if (unknown !== undefined) return yield* unknownId(unknown, ids)
  const whole = wholePlan(checks, profiles)
  const unclaimed = only.find((id) => !whole.some((one) => one.id === id))
  if (unclaimed !== undefined) {
    return yield* new Refused({ message: `${unclaimed} is a check of a profile that the config doesn't claim` })
  }
  const whollyAsked = choicesKept.filter(({ id }) => only.includes(id)).map(({ profile }) => profile)
  const planned = whole.filter(
    ({ check, id, profile }) =>
      (only.length === 0 || only.includes(id) || whollyAsked.includes(profile)) &&
      (!readOnly || (check !== undefined && onlyReads(check, supplied)))
  )
  if (!planned.some(({ check }) => check !== undefined)) {
    return yield* new Refused({
      message: "Nothing would be checked: no check is left by the profiles, --only and --read-only"
    })
  }
  return { selection, planned, whole: whole.map(({ id, profile }) => ({ id, profile })) }
})
