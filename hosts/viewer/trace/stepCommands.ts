import { commandsIn, type FlowCommand } from "../../phone/flows/flow.ts"

/** The most characters and values of the commands of one step, and how deep they are nested. */
const most = { size: 4000, depth: 20 }

/** How large a value is, in characters and values; no more of it is counted than the limit. */
const sizeOf = (value: unknown): number => {
  let size = 0
  const open: Array<{ readonly value: unknown; readonly depth: number }> = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined && size <= most.size; next = open.pop()) {
    const { depth } = next
    size += typeof next.value === "string" ? next.value.length + 1 : 1
    if (typeof next.value !== "object" || next.value === null) continue
    if (depth >= most.depth) return Infinity
    for (const [key, one] of Object.entries(next.value)) {
      size += key.length
      open.push({ value: one, depth: depth + 1 })
    }
  }
  return size
}

/**
 * The Maestro commands of a step, by which it can be played again: the field `command` of its event, which is a command as
 * the YAML of a flow has it, or a list of them.
 */
export const stepCommands = ({ command }: Readonly<Record<string, unknown>>): ReadonlyArray<FlowCommand> => {
  if (command === undefined || sizeOf(command) > most.size) return []
  try {
    return commandsIn(Array.isArray(command) ? command : [command])
  } catch {
    return []
  }
}
