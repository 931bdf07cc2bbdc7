import { Effect } from "effect"
import type { Check, Profile } from "../checks/steps/Check.ts"
import type { Config } from "../config/Config.ts"
import { requirements } from "../requirements/index.ts"
import { levelOf, proves } from "../requirements/proves.ts"
import { checksOf, type Level } from "../requirements/Requirement.ts"
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
  /** Ids of checks or of sentences, or how ids begin, such as `builds.put`; when empty, every check is selected. The id of a `choices-kept` check selects its whole profile. */
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

/** How many letters are added, left out or changed between two ids. */
const distance = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (const [row, letter] of [...one].entries()) {
    const here = [row + 1]
    for (const [place, wanted] of [...other].entries()) {
      const [left = 0, up = 0, corner = 0] = [here[place], above[place + 1], above[place]]
      here.push(Math.min(left + 1, up + 1, corner + (letter === wanted ? 0 : 1)))
    }
    above = here
  }
  return above.at(-1) ?? 0
}

/** Refuses an id, and suggests one from which it differs in a few letters. */
export const unknownId = (id: string, ids: ReadonlyArray<string>): Refused => {
  const [nearest] = ids.map((one) => ({ one, far: distance(id, one) })).toSorted((some, other) => some.far - other.far)
  const isNear = nearest !== undefined && nearest.far <= 3
  return new Refused({ message: `No check is called ${id}${isNear ? `; did you mean ${nearest.one}?` : ""}` })
}

/** The checks that are meant: the one of this id, those of the sentence of this id, or those whose ids begin with it. */
const meant = (asked: string, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (ids.includes(asked)) return [asked]
  const sentence = requirements.find(({ id }) => id === asked)
  const proving = sentence === undefined ? [] : checksOf(sentence).filter((id) => ids.includes(id))
  return proving.length > 0 ? proving : ids.filter((id) => id.startsWith(`${asked.replace(/\.?\*?$/, "")}.`))
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
  const { profiles, readOnly, supplied = {} } = selection
  const everything = wholePlan(checks, ["builds", "previews", "testRuns"])
  const ids = everything.map(({ id }) => id)
  const asked = selection.only.map((one) => ({ one, some: meant(one, ids) }))
  const unknown = asked.find(({ some }) => some.length === 0)
  if (unknown !== undefined) return yield* unknownId(unknown.one, ids)
  const only = asked.flatMap(({ some }) => some)
  const whole = wholePlan(checks, profiles)
  const unclaimed = asked.find(({ some }) => !whole.some(({ id }) => some.includes(id)))?.one
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
