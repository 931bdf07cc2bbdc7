import type { Profile } from "../checks/steps/Check.ts"
import type { Choice } from "../report/Report.ts"
import type { Observation } from "../session/SessionLog.ts"
import type { Judged } from "./judge.ts"

export interface Observed {
  readonly check: string
  readonly observations: ReadonlyArray<Observation>
}

const key = (value: unknown): string => JSON.stringify(value)

/** The register of choices: each silence with its answers and the checks that observed them, ordered by name. */
export const choicesOf = (observed: ReadonlyArray<Observed>): ReadonlyArray<Choice> => {
  const all = observed.flatMap(({ check, observations }) => observations.map((one) => ({ check, ...one })))
  return [...Map.groupBy(all, ({ silence }) => silence)]
    .map(([silence, here]) => ({
      silence,
      answers: [...Map.groupBy(here, ({ answer }) => key(answer)).values()].map((same) => ({
        answer: same[0]?.answer ?? null,
        checks: [...new Set(same.map(({ check }) => check))]
      }))
    }))
    .toSorted((one, other) => (one.silence < other.silence ? -1 : 1))
}

const consistent = "What the interface leaves open is answered consistently"

/** The checks that the runner adds after all others: the target must answer the same situation consistently. */
export const choicesKept: ReadonlyArray<{ readonly id: string; readonly profile: Profile; readonly title: string }> = [
  {
    id: "builds.choices-kept",
    profile: "builds",
    title: consistent
  },
  {
    id: "previews.choices-kept",
    profile: "previews",
    title: consistent
  },
  { id: "runs.choices-kept", profile: "testRuns", title: consistent }
]

const sentence = ({ answers, silence }: Choice): string =>
  `${silence}: ${answers.map(({ answer, checks }) => `${key(answer)} in ${checks.join(", ")}`).join("; ")}`

/** Whether each silence in the check's area (such as `builds.`) has only one answer. */
export const judgeChoices = (id: string, choices: ReadonlyArray<Choice>): Judged => {
  const [area = ""] = id.split(".")
  const here = choices.filter(({ silence }) => silence.startsWith(`${area}.`))
  if (here.length === 0) return { outcome: "skipped", reason: "No choice of the target was observed." }
  const broken = here.filter(({ answers }) => answers.length > 1)
  return broken.length === 0
    ? { outcome: "passed" }
    : {
        outcome: "failed",
        violation: {
          expected: "The same situation has the same answer throughout a run",
          came: broken.map(sentence).join(" · ")
        }
      }
}
