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
    const isLast = index === attempts.length - 1
    // The steps that are played again are those of the last attempt.
    const own = isGrouped
      ? attempt.steps.map((step) => ({
          ...step,
          depth: step.depth + 1,
          flowCommand: isLast ? step.flowCommand : undefined
        }))
      : attempt.steps
    const whole = isGrouped ? [around(attempt, index + 1)] : []
    if (isLast && attempt.failingStep !== undefined) failing = own[attempt.failingStep]
    return [...whole, ...own]
  })
  const steps = all.toSorted((one, other) => one.startedAt - other.startedAt)
  const failingStep = failing === undefined ? -1 : steps.indexOf(failing)
  return { steps, failingStep: failingStep === -1 ? undefined : failingStep }
}

/** A value with its texts masked, at any depth. */
const masked = (value: unknown, mask: Mask): unknown => {
  if (typeof value === "string") return mask.text(value)
  if (Array.isArray(value)) return value.map((one: unknown) => masked(one, mask))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one, mask)]))
}

/** The most characters of a command as JSON; of a longer one only the name is sent. */
const longestCommand = 4000

const commandOf = (command: NonNullable<Step["flowCommand"]>, mask: Mask): unknown => {
  const sent = masked(command, mask)
  const isShort = JSON.stringify(sent).length <= longestCommand
  return isShort || typeof command === "string" ? sent : Object.keys(command)[0]
}

/** A line for each step; times count from `zero`. */
export const eventLines = (steps: ReadonlyArray<Step>, zero: number, mask: Mask): string =>
  steps
    .map(({ depth, durationMs, flowCommand, message, name, startedAt, status }) => {
      const isRunning = status === "running"
      const event = {
        t: Math.max(0, Math.round(startedAt - zero)),
        type: "step",
        name: mask.text(name),
        status: isRunning ? "started" : status,
        durationMs: isRunning ? undefined : (durationMs ?? 0),
        depth: depth === 0 ? undefined : depth,
        message: message === undefined ? undefined : mask.text(message),
        command: flowCommand === undefined ? undefined : commandOf(flowCommand, mask)
      }
      return `${JSON.stringify(event)}\n`
    })
    .join("")
