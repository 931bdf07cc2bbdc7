import type { TraceEvent } from "./event.ts"

/** A step of a run, from when to when on the clock of its events. A step that never ended has no `to`. */
export interface Step {
  readonly index: number
  readonly name: string
  readonly status: string
  readonly from: number
  readonly to: number | undefined
  readonly depth: number
  readonly message: string | undefined
}

const isBeginning = (status: string | undefined): boolean => status === "started" || status === "running"

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The steps of a run in the order in which they began. */
export const stepsOf = (events: Iterable<TraceEvent>): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  for (const { fields, name, status, t, type } of events) {
    if (type !== "step") continue
    const depth = numberOf(fields["depth"])
    const message = textOf(fields["message"])
    const begun = isBeginning(status) ? -1 : steps.findLastIndex((step) => step.to === undefined && step.name === name)
    const open = steps[begun]
    if (open !== undefined) {
      steps[begun] = {
        ...open,
        status: status ?? "passed",
        to: t,
        depth: depth ?? open.depth,
        message: message ?? open.message
      }
      continue
    }
    const durationMs = numberOf(fields["durationMs"])
    steps.push({
      index: steps.length,
      name,
      status: isBeginning(status) ? "running" : (status ?? "passed"),
      from: t,
      to: durationMs === undefined ? (isBeginning(status) ? undefined : t) : t + durationMs,
      depth: depth ?? 0,
      message
    })
  }
  return steps
}

/** The last step that had begun at a time, if one had. */
export const stepAt = (steps: ReadonlyArray<Step>, t: number): Step | undefined =>
  steps.findLast(({ from }) => from <= t)

/** Whether a step went wrong. */
export const isFailed = ({ status }: Pick<Step, "status">): boolean => /^(?:failed|fail|error|errored)$/i.test(status)
