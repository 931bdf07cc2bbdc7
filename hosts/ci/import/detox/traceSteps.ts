/** The steps of a test as a trace has them: calls of Detox within hooks and the function of the test. */
import type { Step } from "../recordedRun.ts"

/** A hook, or the function of a test, which Detox calls `test_fn`. */
export interface Part {
  readonly name: string
  readonly startedAt: number
  endedAt: number | undefined
  error: string | undefined
  readonly steps: Array<OpenStep>
}

/** A call of Detox, and how it ended so far. */
export interface OpenStep {
  readonly name: string
  readonly startedAt: number
  endedAt: number | undefined
  status: string
  message: string | undefined
}

/** The steps of a part, in the order of their beginnings; a step within another is deeper. */
const stepsOf = ({ steps }: Part, depth: number): ReadonlyArray<Step> => {
  const around: Array<number> = []
  return steps.map(({ endedAt, message, name, startedAt, status }) => {
    while ((around.at(-1) ?? Infinity) < (endedAt ?? Infinity)) around.pop()
    const step = {
      name,
      status,
      startedAt: Math.round(startedAt),
      durationMs: endedAt === undefined ? undefined : Math.round(endedAt - startedAt),
      depth: depth + around.length,
      message
    }
    around.push(endedAt ?? Infinity)
    return step
  })
}

/**
 * The steps of an attempt. A hook is a step where it has steps or failed; the function of the test only where it failed
 * and none of its steps did, as after an `expect` of Jest.
 */
export const stepsOfParts = (parts: ReadonlyArray<Part>) => {
  const steps: Array<Step> = []
  let failingStep: number | undefined
  for (const part of parts) {
    const isTest = part.name === "test_fn"
    const inner = stepsOf(part, isTest ? 0 : 1)
    const failed = inner.findLastIndex(({ status }) => status === "failed")
    const before = steps.length
    const whole: Step = {
      name: part.name,
      status: part.error === undefined ? (part.endedAt === undefined ? "running" : "passed") : "failed",
      startedAt: Math.round(part.startedAt),
      durationMs: part.endedAt === undefined ? undefined : Math.round(part.endedAt - part.startedAt),
      depth: 0,
      message: part.error
    }
    const isShown = isTest ? part.error !== undefined && failed === -1 : inner.length > 0 || part.error !== undefined
    // The function of the test fails after its steps, a hook around them.
    steps.push(...(isShown && !isTest ? [whole] : []), ...inner)
    if (isShown && isTest) steps.push({ ...whole, startedAt: whole.startedAt + (whole.durationMs ?? 0), durationMs: 0 })
    if (part.error === undefined || failingStep !== undefined) continue
    if (failed !== -1) failingStep = before + failed + (isShown ? 1 : 0)
    else failingStep = isTest ? steps.length - 1 : before
  }
  return { steps, failingStep }
}
