import { lastWithin } from "./lastWithin.ts"
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

/** A value that is a number of at least 0. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Steps of a run in the order in which they began; `isWhole` if these are all of them. */
export interface KnownSteps {
  readonly steps: ReadonlyArray<Step>
  readonly isWhole: boolean
}

/**
 * Gathers the steps of a run as its events are read in order, at most so many of them. A step that begins when there are
 * that many is left out; those that are there may still end.
 */
export const stepReader = (
  most: number
): { readonly read: (event: TraceEvent) => void; readonly known: () => KnownSteps } => {
  const steps: Array<Step> = []
  /** The indices of the steps that haven't ended, by name, the latest last; `undefined` for a step that was left out. */
  const open = new Map<string, Array<number | undefined>>()
  let isWhole = true

  const begin = (name: string, position: number | undefined): void => {
    const positions = open.get(name)
    if (positions === undefined) open.set(name, [position])
    else positions.push(position)
  }

  /** Ends the last step of a name that hasn't ended; `false` where there is none. */
  const end = ({ fields, name, status, t }: TraceEvent): boolean => {
    const positions = open.get(name)
    if (positions === undefined || positions.length === 0) return false
    const position = positions.pop()
    const begun = position === undefined ? undefined : steps[position]
    if (position === undefined || begun === undefined) return true
    steps[position] = {
      ...begun,
      status: status ?? "passed",
      to: t,
      depth: numberOf(fields["depth"]) ?? begun.depth,
      message: textOf(fields["message"]) ?? begun.message
    }
    return true
  }

  const read = (event: TraceEvent): void => {
    const { fields, name, status, t, type } = event
    if (type !== "step") return
    const begins = isBeginning(status)
    if (!begins && end(event)) return
    const isLeftOut = steps.length >= most
    const index = steps.length
    const durationMs = numberOf(fields["durationMs"])
    const to = durationMs === undefined ? (begins ? undefined : t) : t + durationMs
    if (to === undefined) begin(name, isLeftOut ? undefined : index)
    if (isLeftOut) {
      isWhole = false
      return
    }
    steps.push({
      index,
      name,
      status: begins ? "running" : (status ?? "passed"),
      from: t,
      to,
      depth: numberOf(fields["depth"]) ?? 0,
      message: textOf(fields["message"])
    })
  }

  return { read, known: () => ({ steps, isWhole }) }
}

/** The steps in events, at most so many of them. */
export const stepsOf = (events: Iterable<TraceEvent>, most = Infinity): KnownSteps => {
  const { known, read } = stepReader(most)
  for (const event of events) read(event)
  return known()
}

/** How long a step took; 0 if it never ended. */
export const lengthOf = ({ from, to }: Step): number => (to ?? from) - from

/** The last step that had begun at a time, if any. The steps are in the order of their beginnings. */
export const stepAt = (steps: ReadonlyArray<Step>, t: number): Step | undefined =>
  lastWithin(steps, t, ({ from }) => from)

/** Whether a step failed. */
export const isFailed = ({ status }: Pick<Step, "status">): boolean => /^(?:failed|fail|error|errored)$/i.test(status)

/**
 * The step that made a run fail: the one that the run names by its index, if that step failed or no step did; otherwise
 * the first failed step, or the innermost failed step within it.
 */
export const failingStep = (steps: ReadonlyArray<Step>, failedStepIndex: number | undefined): Step | undefined => {
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

/** The moment that shows a step best: its end if it failed, else its beginning. */
export const momentOf = (step: Step): number => (isFailed(step) ? (step.to ?? step.from) : step.from)
