import type { Config } from "../config/Config.ts"
import type { Plan } from "./plan.ts"

/** The assumed duration of one answer, in milliseconds. */
const answerMs = 50

export interface Estimate {
  readonly checks: number
  readonly requests: number
  readonly bytes: number
  /** At 50 ms per answer, when every check waits for one whole consistency window. */
  readonly seconds: number
}

export const estimate = (
  { planned }: Plan,
  { concurrency, windowMs }: Pick<Config, "concurrency" | "windowMs">
): Estimate => {
  const costs = planned.flatMap(({ check }) => (check === undefined ? [] : [check.cost]))
  const requests = costs.reduce((sum, cost) => sum + cost.requests, 0)
  return {
    checks: planned.length,
    requests,
    bytes: costs.reduce((sum, cost) => sum + cost.bytes, 0),
    seconds: Math.ceil((requests * answerMs + costs.length * windowMs) / concurrency / 1000)
  }
}

const size = (bytes: number): string => (bytes < 1024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1024)} KiB`)

/** A plan as text for people: its checks and their total cost. */
export const planLines = (plan: Plan, config: Pick<Config, "concurrency" | "windowMs">): ReadonlyArray<string> => {
  const { bytes, checks, requests, seconds } = estimate(plan, config)
  const width = Math.max(...plan.planned.map(({ id }) => id.length))
  return [
    ...plan.planned.map(({ id, level, title }) => `${id.padEnd(width)}  ${level.padEnd(6)}  ${title}`),
    "",
    `${checks} checks, about ${requests} requests and ${size(bytes)} uploaded, about ${seconds} s at ${answerMs} ms an answer.`,
    plan.selection.readOnly
      ? "Nothing is created on the target."
      : "What is created on the target stays there, unless `cleanup` of the config removes it. Each branch and name contains digits of the run, and the report lists all of it."
  ]
}
