import { isFailed } from "./steps.ts"
import type { Step } from "./steps.ts"

/** How a status is marked and drawn: what isn't known is `other`. */
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

/** How deep a step is drawn at most. */
const deepest = 6

export const depthOf = ({ depth }: Step): number => Math.min(Math.floor(depth), deepest)
