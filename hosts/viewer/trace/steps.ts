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

/** Gathers the steps of a run as its events are read, in the order in which they began. */
export const stepReader = (): {
  readonly steps: ReadonlyArray<Step>
  readonly read: (event: TraceEvent) => void
} => {
  const steps: Array<Step> = []
  /** The places of the steps that haven't ended, by name, the last one last. */
  const open = new Map<string, Array<number>>()

  const read = ({ fields, name, status, t, type }: TraceEvent): void => {
    if (type !== "step") return
    const depth = numberOf(fields["depth"])
    const message = textOf(fields["message"])
    const begins = isBeginning(status)
    const place = begins ? undefined : open.get(name)?.pop()
    const begun = place === undefined ? undefined : steps[place]
    if (place !== undefined && begun !== undefined) {
      steps[place] = {
        ...begun,
        status: status ?? "passed",
        to: t,
        depth: depth ?? begun.depth,
        message: message ?? begun.message
      }
      return
    }
    const index = steps.length
    const durationMs = numberOf(fields["durationMs"])
    const to = durationMs === undefined ? (begins ? undefined : t) : t + durationMs
    if (to === undefined) open.set(name, [...(open.get(name) ?? []), index])
    steps.push({
      index,
      name,
      status: begins ? "running" : (status ?? "passed"),
      from: t,
      to,
      depth: depth ?? 0,
      message
    })
  }

  return { steps, read }
}

/** The steps of a run in the order in which they began. */
export const stepsOf = (events: Iterable<TraceEvent>): ReadonlyArray<Step> => {
  const { read, steps } = stepReader()
  for (const event of events) read(event)
  return steps
}

/** How long a step took; nothing, of one that never ended. */
export const lengthOf = ({ from, to }: Step): number => (to ?? from) - from

/** The last step that had begun at a time, if one had. */
export const stepAt = (steps: ReadonlyArray<Step>, t: number): Step | undefined =>
  steps.findLast(({ from }) => from <= t)

/** Whether a step went wrong. */
export const isFailed = ({ status }: Pick<Step, "status">): boolean => /^(?:failed|fail|error|errored)$/i.test(status)

/**
 * The step with which a run broke: the one that the run names (from 0), where that one failed or none did; else the
 * first that failed, and of those within it the innermost.
 */
export const breakingStep = (steps: ReadonlyArray<Step>, failedStepIndex: number | undefined): Step | undefined => {
  const named = failedStepIndex === undefined ? undefined : steps[failedStepIndex]
  if (named !== undefined && isFailed(named)) return named
  let found = steps.find(isFailed)
  if (found === undefined) return named
  for (const step of steps.slice(found.index + 1)) {
    if (step.depth <= found.depth) break
    if (isFailed(step)) found = step
  }
  return found
}

/** The moment at which a step is best looked at: its end where it went wrong, else its beginning. */
export const momentOf = (step: Step): number => (isFailed(step) ? (step.to ?? step.from) : step.from)
