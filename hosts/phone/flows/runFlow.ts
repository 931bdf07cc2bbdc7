import {
  commandsIn,
  type Fields,
  fieldsIn,
  type Flow,
  type FlowCommand,
  mostOfFlow,
  NoFlow,
  scalarIn,
  stepName
} from "./flow.ts"

/** How a step ended. `warned` is a failure of an optional step; `skipped` is one that this phone can’t do. */
export interface StepResult {
  readonly status: "passed" | "failed" | "warned" | "skipped"
  readonly reason?: string | undefined
}

/** A step of a flow as it ran: a command, or one that contains others. */
interface FlowStep {
  readonly name: string
  /** The number of steps that contain it. */
  readonly depth: number
}

/**
 * How a flow ended. `incomplete` if a step was skipped, or the flow was stopped: only a flow of which every step was done
 * can have passed.
 */
export type Verdict = "passed" | "failed" | "incomplete"

/** Who performs commands, and receives results. */
interface FlowRunner {
  /** Performs a command that contains no other. */
  readonly perform: (command: FlowCommand) => Promise<StepResult>
  /** A step begins; the answer receives its result. */
  readonly began: (step: FlowStep) => (result: StepResult) => void
  readonly isStopped: () => boolean
}

/** What stands for a secret in the steps of a run that was imported. */
const hidden = "•••"

const variable = /(\\?)\$\{([^${}]*)\}/g

/** A value with its variables replaced; the name of the first one that has no value. */
const filledIn = (
  value: unknown,
  env: Flow["env"]
): { readonly value: unknown; readonly unknown?: string | undefined } => {
  let unknown: string | undefined
  const fill = (one: unknown): unknown => {
    if (typeof one === "string") {
      if (one.includes(hidden)) unknown ??= hidden
      return one.replaceAll(variable, (whole, escape: string, name: string) => {
        if (escape !== "") return whole.slice(1)
        const known = Object.hasOwn(env, name.trim()) ? env[name.trim()] : undefined
        if (known === undefined) unknown ??= whole
        return known ?? whole
      })
    }
    if (Array.isArray(one)) return one.map(fill)
    if (typeof one !== "object" || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([key, of]) => [key, fill(of)]))
  }
  return { value: fill(value), unknown }
}

const skipped = (reason: string): StepResult => ({ status: "skipped", reason })

const noValue = (unknown: string): StepResult =>
  skipped(
    unknown === hidden
      ? `a secret in it is hidden as ${hidden}: write it into the flow`
      : `${unknown} has no value: add it to env at the beginning of the flow`
  )

/** The commands that contain others. */
const containers = new Set(["runFlow", "repeat", "retry"])

/** The most times that one command repeats others. */
const mostRepeats = 100

/** Runs a flow to its end or its first failure, as Maestro does. Answers how it ended. */
export const runFlow = async ({ commands, env }: Flow, { began, isStopped, perform }: FlowRunner): Promise<Verdict> => {
  let isWhole = true

  /** Whether a condition holds now; a result where that is unknown. */
  const holds = async (condition: Fields): Promise<boolean | StepResult> => {
    const { notVisible, platform, true: expression, visible, ...more } = condition
    const [other] = Object.keys(more).filter((name) => name !== "label" && name !== "optional")
    if (other !== undefined) return skipped(`the condition ${other} is not supported`)
    if (platform !== undefined && scalarIn(platform)?.toLowerCase() !== "ios") return false
    const value = scalarIn(expression)
    if (expression !== undefined && value === undefined) return skipped("its condition is no text")
    if (value !== undefined && /^(?:\s*|false|undefined|null|0+(?:\.0+)?)$/i.test(value)) return false
    for (const [name, selector] of [
      ["visible", visible],
      ["notVisible", notVisible]
    ] as const) {
      if (selector === undefined) continue
      const result = await perform({ name: "condition", value: { [name]: selector } })
      if (result.status === "skipped") return result
      if (result.status === "failed") return false
    }
    return true
  }

  /** Runs commands in order; `false` when one failed, after which none is run. */
  const all = async (list: ReadonlyArray<FlowCommand>, known: Flow["env"], depth: number): Promise<boolean> => {
    if (depth > mostOfFlow.depth) throw new NoFlow(`Its commands contain more than ${mostOfFlow.depth} others.`)
    for (const command of list) {
      if (isStopped()) {
        isWhole = false
        return false
      }
      if (!(await one(command, known, depth))) return false
    }
    return true
  }

  const contained = async ({ name, value }: FlowCommand, known: Flow["env"], depth: number): Promise<StepResult> => {
    const fields = fieldsIn(value)
    if (fields["commands"] === undefined) return skipped("the commands of another file are not known here")
    const list = commandsIn(fields["commands"])
    const own = {
      ...known,
      ...Object.fromEntries(
        Object.entries(fieldsIn(fields["env"])).flatMap(([key, of]) => {
          const text = scalarIn(of)
          return text === undefined ? [] : [[key, text] as const]
        })
      )
    }
    const { value: filled, unknown } = filledIn({ ...fields, commands: undefined, env: undefined }, own)
    if (unknown !== undefined) return noValue(unknown)
    const { maxRetries, times, when, while: during } = fieldsIn(filled)
    if (name === "runFlow") {
      const isWanted = when === undefined || (await holds(fieldsIn(when)))
      if (typeof isWanted === "object") return isWanted
      if (!isWanted) return { status: "passed", reason: "its condition does not hold" }
    }
    const most = name === "retry" ? Number(maxRetries ?? 1) + 1 : name === "repeat" ? Number(times ?? mostRepeats) : 1
    if (!(most >= 0)) return skipped("the number of its repetitions is no number")
    for (let time = 0; time < most; time += 1) {
      if (time >= mostRepeats) return skipped(`it repeats more than ${mostRepeats} times`)
      if (during !== undefined) {
        const isWanted = await holds(fieldsIn(during))
        if (typeof isWanted === "object") return isWanted
        if (!isWanted) break
      }
      const isDone = await all(list, own, depth + 1)
      if (isDone && name === "retry") break
      if (!isDone && (name !== "retry" || time + 1 === most || isStopped())) {
        return { status: "failed", reason: isStopped() ? "it was stopped" : "a step in it failed" }
      }
    }
    return { status: "passed" }
  }

  const one = async (command: FlowCommand, known: Flow["env"], depth: number): Promise<boolean> => {
    const { value: filled, unknown } = containers.has(command.name)
      ? { value: command.value }
      : filledIn(command.value, known)
    const isOptional = fieldsIn(command.value)["optional"] === true
    const ended = began({ name: stepName(command), depth })
    const result =
      unknown !== undefined
        ? noValue(unknown)
        : containers.has(command.name)
          ? await contained(command, known, depth)
          : await perform({ name: command.name, value: filled })
    const status = result.status === "failed" && isOptional && !isStopped() ? "warned" : result.status
    if (status === "skipped") isWhole = false
    ended({ ...result, status })
    return status !== "failed"
  }

  const isDone = await all(commands, env, 0)
  return isStopped() ? "incomplete" : !isDone ? "failed" : isWhole ? "passed" : "incomplete"
}
