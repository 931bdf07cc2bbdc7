/** The steps of a run as the events that its page reads: `hosts/viewer/trace/README.md`. */
import type { Mask } from "./mask.ts"
import type { RecordedAttempt, RecordedRun, Step } from "./recordedRun.ts"

/** The steps of all attempts, and which of them failed the run. */
export interface RunSteps {
  readonly steps: ReadonlyArray<Step>
  readonly failingStep: number | undefined
}

/** An attempt as a step around its own. */
const around = (attempt: RecordedAttempt, number: number): Step => ({
  name: `Attempt ${number}`,
  status: attempt.status,
  startedAt: Math.min(attempt.startedAt ?? Infinity, attempt.steps[0]?.startedAt ?? Infinity),
  durationMs: attempt.durationMs,
  depth: 0,
  message: attempt.steps.length === 0 ? attempt.failureMessage : undefined
})

/** The steps in the order of their beginnings. Of more than one attempt, each is a step around its own. */
export const stepsOfRun = ({ attempts }: RecordedRun): RunSteps => {
  const isTimed = attempts.every(({ startedAt, steps }) => startedAt !== undefined || steps.length > 0)
  const isGrouped = attempts.length > 1 && isTimed
  let failing: Step | undefined
  const all = attempts.flatMap((attempt, index) => {
    const own = isGrouped ? attempt.steps.map((step) => ({ ...step, depth: step.depth + 1 })) : attempt.steps
    const whole = isGrouped ? [around(attempt, index + 1)] : []
    if (index === attempts.length - 1 && attempt.failingStep !== undefined) failing = own[attempt.failingStep]
    return [...whole, ...own]
  })
  const steps = all.toSorted((one, other) => one.startedAt - other.startedAt)
  const failingStep = failing === undefined ? -1 : steps.indexOf(failing)
  return { steps, failingStep: failingStep === -1 ? undefined : failingStep }
}

/** A line for each step; times count from `zero`. */
export const eventLines = (steps: ReadonlyArray<Step>, zero: number, mask: Mask): string =>
  steps
    .map(({ depth, durationMs, message, name, startedAt, status }) => {
      const isRunning = status === "running"
      const event = {
        t: Math.max(0, Math.round(startedAt - zero)),
        type: "step",
        name: mask.text(name),
        status: isRunning ? "started" : status,
        durationMs: isRunning ? undefined : (durationMs ?? 0),
        depth: depth === 0 ? undefined : depth,
        message: message === undefined ? undefined : mask.text(message)
      }
      return `${JSON.stringify(event)}\n`
    })
    .join("")
