import { clockText } from "./clockText.ts"
import { durationText } from "../../../core/rules/amounts.ts"
import { shortText } from "../ui/shortText.ts"
import { isFailed, lengthOf, type Step } from "./steps.ts"

/** The kinds of status that are drawn differently; any other word is `other`. */
export type Mark = "passed" | "failed" | "warned" | "skipped" | "running" | "other"

const marks: ReadonlyArray<readonly [RegExp, Mark]> = [
  [/^(?:passed|pass|ok|completed|success|succeeded)$/i, "passed"],
  [/^(?:warned|warning|warn)$/i, "warned"],
  [/^(?:skipped|pending|todo)$/i, "skipped"],
  [/^(?:running|started)$/i, "running"]
]

export const markOf = (step: Pick<Step, "status">): Mark =>
  isFailed(step) ? "failed" : (marks.find(([form]) => form.test(step.status))?.[1] ?? "other")

/** A sign of a status, beside its colour. */
export const signs: Readonly<Record<Mark, string>> = {
  passed: "✓",
  failed: "✕",
  warned: "!",
  skipped: "–",
  running: "…",
  other: "•"
}

/** How deep a step is drawn at most, and how much of a name and of a status is shown. */
const most = { depth: 6, name: 160, status: 40 }

/** The texts of a step, the same on the server and in the script. */
export interface StepDescription {
  readonly mark: Mark
  readonly depth: number
  readonly name: string
  readonly isCut: boolean
  readonly status: string
  readonly took: string
  /** Its status and times in a sentence. */
  readonly summary: string
}

export const describeStep = (step: Step): StepDescription => {
  const { from, to } = step
  const name = shortText(step.name, most.name)
  const status = shortText(step.status, most.status)
  const took = to === undefined || to === from ? "" : durationText(lengthOf(step))
  return {
    mark: markOf(step),
    depth: Math.min(Math.floor(step.depth), most.depth),
    name,
    isCut: name !== step.name,
    status,
    took,
    summary:
      to === undefined
        ? `${status}, from ${clockText(from)}, never ended`
        : took === ""
          ? `${status}, at ${clockText(from)}`
          : `${status}, from ${clockText(from)} to ${clockText(to)}, ${took}`
  }
}
