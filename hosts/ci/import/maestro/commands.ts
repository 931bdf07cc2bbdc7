/** Reads the commands that Maestro ran in a flow, as it writes them to `commands.json` or `commands-(name).json`. */
import { basename } from "node:path"
import { fieldsOf, itemsOf, numberOf, readJson, textOf, textsOf, type Fields } from "../json.ts"
import type { Mask } from "../mask.ts"
import { plainLine, plainLines } from "../../command/plainText.ts"
import type { Step } from "../recordedRun.ts"
import type { ImportLog } from "../ImportLog.ts"
import { commandName } from "./commandName.ts"
import { flowCommand, optional } from "./flowCommand.ts"
import { hideTyped } from "./typed.ts"

/** A file that Maestro says that a command made. */
export interface CommandArtifact {
  readonly type: string
  readonly path: string
}

/** A command that is a step. */
export interface CommandStep extends Step {
  /** The kind of command: `tapOnElement`. */
  readonly command: string
  readonly artifacts: ReadonlyArray<CommandArtifact>
}

/** The content of a flow's commands. */
export interface FlowCommands {
  /** The name that the flow gives itself. */
  readonly name: string | undefined
  /** The name of the flow's file, without folder and extension. */
  readonly fileName: string | undefined
  readonly deviceId: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly steps: ReadonlyArray<CommandStep>
  readonly failingStep: number | undefined
  /** Whether all commands were read. For those that weren't, the typed text is unknown. */
  readonly isWhole: boolean
  /** Why the commands don't show the flow's outcome. */
  readonly interruption: string | undefined
}

/** What Maestro does before a flow: no steps of a test. */
const bookkeeping = new Set(["defineVariablesCommand", "applyConfigurationCommand"])

const statuses: Readonly<Record<string, string>> = {
  COMPLETED: "passed",
  FAILED: "failed",
  WARNED: "warned",
  SKIPPED: "skipped",
  RUNNING: "running"
}

interface Entry {
  readonly kind: string
  readonly reported: Fields
  readonly metadata: Fields
  readonly at: number | undefined
  readonly sequence: number | undefined
}

const entryOf = (item: unknown): ReadonlyArray<Entry> => {
  const { command, metadata } = fieldsOf(item)
  const [first] = Object.entries(fieldsOf(command))
  if (first === undefined) return []
  const [kind, fields] = first
  const of = fieldsOf(metadata)
  return [
    {
      kind,
      reported: fieldsOf(fields),
      metadata: of,
      at: numberOf(of["timestamp"]),
      sequence: numberOf(of["sequenceNumber"])
    }
  ]
}

const unordered = (one: number | undefined, other: number | undefined): number =>
  one === undefined || other === undefined ? 0 : one - other

/** In the order in which they ran: by their numbers, where each has its own, else by their times. */
const inOrder = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const numbers = new Set(entries.map(({ sequence }) => sequence))
  return numbers.size === entries.length && !numbers.has(undefined)
    ? entries.toSorted((one, other) => unordered(one.sequence, other.sequence))
    : entries.toSorted((one, other) => unordered(one.at, other.at))
}

/**
 * The index of the step that made a flow fail: the last failed one within the first one that failed, unless a command
 * around it went well all the same, as a `retry` does that passes in the end. What fails after it is a hook of the flow.
 * Older versions give no depth: what begins before a command ends is within it.
 */
export const failingStepOf = (steps: ReadonlyArray<Step>): number | undefined => {
  const around: Array<Step> = []
  let first: Step | undefined
  let failing: number | undefined
  for (const [index, step] of steps.entries()) {
    while ((around.at(-1)?.depth ?? -1) >= step.depth) around.pop()
    const isRecovered = around.some(({ status }) => status !== "failed" && status !== "running")
    around.push(step)
    if (step.status !== "failed" || isRecovered) continue
    const isWithin =
      first === undefined || around.includes(first) || step.startedAt < first.startedAt + (first.durationMs ?? 0)
    if (!isWithin) continue
    first ??= step
    failing = index
  }
  return failing
}

/** A step that ended in one of these ways lets a flow pass; one that failed, where something around it recovered. */
const ended = new Set(["passed", "warned", "skipped", "failed"])

/** Why the steps don't show the flow's outcome. */
const openEnd = (steps: ReadonlyArray<Step>, failingStep: number | undefined): string | undefined => {
  if (steps.length === 0) return "it has no step"
  if (failingStep !== undefined) return undefined
  const open = steps.findLast(({ status }) => !ended.has(status))
  if (open === undefined) return undefined
  const step = JSON.stringify(open.name)
  return open.status === "running" ? `${step} began and never ended` : `Maestro says ${open.status} of ${step}`
}

/** A step that failed without ending its flow: what was retried, or was optional. */
const recovered = (step: CommandStep): CommandStep => ({
  ...step,
  flowCommand: step.flowCommand === undefined ? undefined : optional(step.flowCommand)
})

/** Reads a file of commands. What they typed, and their variables, are hidden from now on. */
export const readCommands = (file: string, mask: Mask, log: ImportLog): FlowCommands => {
  const read = readJson(file, "$.*", log)
  const items = "whole" in read ? read.whole : itemsOf(read.value)
  if (items.length === 0 && !("whole" in read)) log.problem({ file, reason: "It holds no commands." })
  const isCut = "whole" in read
  const entries = inOrder(items.flatMap(entryOf))
  let lastAt = entries.find(({ at }) => at !== undefined)?.at ?? 0
  const steps: Array<CommandStep> = []
  for (const { at, kind, metadata, reported } of entries) {
    hideTyped(kind, reported, mask)
    for (const [evaluated, of] of Object.entries(fieldsOf(metadata["evaluatedCommand"]))) hideTyped(evaluated, of, mask)
    lastAt = at ?? lastAt
    const status = textOf(metadata["status"]) ?? "unknown"
    if (bookkeeping.has(kind) && status !== "FAILED") continue
    const duration = numberOf(metadata["duration"])
    const message = textOf(fieldsOf(metadata["error"])["message"])
    const [evaluated] = Object.values(fieldsOf(metadata["evaluatedCommand"]))
    steps.push({
      flowCommand: status === "SKIPPED" ? undefined : flowCommand(kind, reported, fieldsOf(evaluated)),
      command: plainLine(kind.replace(/Command$/, ""), 100),
      name: plainLine(commandName(kind, reported)),
      status: statuses[status] ?? plainLine(status, 100),
      startedAt: lastAt,
      durationMs: duration === undefined ? undefined : Math.max(0, Math.round(duration)),
      depth: Math.max(0, Math.trunc(numberOf(metadata["depth"]) ?? 0)),
      message: message === undefined ? undefined : plainLines(message),
      artifacts: itemsOf(metadata["artifacts"]).flatMap((artifact) => {
        const { path, type } = fieldsOf(artifact)
        const at = textOf(path)
        return at === undefined ? [] : [{ path: at, type: textOf(type) ?? "" }]
      })
    })
  }
  const config = fieldsOf(entries.find(({ kind }) => kind === "applyConfigurationCommand")?.reported["config"])
  const env = fieldsOf(entries.find(({ kind }) => kind === "defineVariablesCommand")?.reported["env"])
  const ends = entries.flatMap(({ at, metadata }) =>
    at === undefined ? [] : [at + Math.max(0, numberOf(metadata["duration"]) ?? 0)]
  )
  const starts = entries.flatMap(({ at }) => at ?? [])
  const failingStep = failingStepOf(steps)
  const open = openEnd(steps, failingStep)
  return {
    name: textOf(config["name"]),
    fileName: textOf(env["MAESTRO_FILENAME"]),
    deviceId: textOf(env["MAESTRO_DEVICE_UDID"]),
    tags: textsOf(config["tags"]),
    startedAt: starts.length === 0 ? undefined : Math.min(...starts),
    endedAt: ends.length === 0 ? undefined : Math.max(...ends),
    steps: steps.map((step, index) => (step.status === "failed" && index !== failingStep ? recovered(step) : step)),
    failingStep,
    isWhole: !isCut && items.length > 0 && entries.length === items.length,
    interruption: isCut
      ? `${basename(file)} was cut after ${items.length} whole commands`
      : open === undefined
        ? undefined
        : `${basename(file)} doesn't show the flow's outcome: ${open}`
  }
}
