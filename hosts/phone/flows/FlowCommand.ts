/** A command of a Maestro flow, as its YAML has it: `- tapOn: {id: pay}` is `tapOn` with the value `{id: "pay"}`. */
export interface FlowCommand {
  readonly name: string
  /** What the YAML has after the name; `undefined` for a bare name. */
  readonly value: unknown
}

/** A flow: its commands, and the variables that its file defines. */
export interface Flow {
  readonly env: Readonly<Record<string, string>>
  readonly commands: ReadonlyArray<FlowCommand>
}

/** Why a text is no flow. */
export class NoFlow extends Error {}

/** Limits of a flow: its characters, its commands, and how deep commands contain others. */
export const mostOfFlow = { characters: 200_000, commands: 1000, depth: 20 }

/** Whether actions are recorded, and whether the next press picks an element for an assertion. */
export interface Listening {
  readonly isRecording: boolean
  readonly isPicking: boolean
  /** Whether the actions are recorded for another frame of the same app, and not for a flow: see `mirror.ts`. */
  readonly isMirrored?: boolean
}

/**
 * The end of what was recorded: the last commands, and the number of those before. Each message has more than is new, because
 * a page may lose some, and because the last commands change while somebody types. `version` grows with every change.
 */
export interface Recorded extends Listening {
  readonly version: number
  readonly before: number
  readonly commands: ReadonlyArray<FlowCommand>
}

/** The most commands of such a message, and those that one action is recorded as. */
export const mostRecorded = { commands: 40, ofAction: 10 }

/** How long an element is waited for, in milliseconds: one that must be there, and one that may be. */
export interface Timeouts {
  readonly lookup: number
  readonly optional: number
}

/** Those of Maestro. */
export const timeoutsOfMaestro: Timeouts = { lookup: 17_000, optional: 7000 }

export type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields of an object; none of anything else. */
export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

/** A scalar of a YAML file as text. */
export const scalarIn = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined

const commandIn = (item: unknown, place: string): FlowCommand => {
  if (typeof item === "string") return { name: item, value: undefined }
  const [first, ...more] = Object.entries(fieldsIn(item))
  if (first === undefined || more.length > 0) throw new NoFlow(`${place} isn’t one command.`)
  return { name: first[0], value: first[1] ?? undefined }
}

/** The commands of a list in a flow. Throws {@link NoFlow}. */
export const commandsIn = (list: unknown): ReadonlyArray<FlowCommand> => {
  if (!Array.isArray(list)) throw new NoFlow("It has no list of commands.")
  if (list.length > mostOfFlow.commands) throw new NoFlow(`It has more than ${mostOfFlow.commands} commands.`)
  return list.map((item: unknown, index) => commandIn(item, `Command ${index + 1}`))
}

/** A flow of the documents of its YAML file: a header, which may be missing, and the commands. Throws {@link NoFlow}. */
export const flowIn = (documents: ReadonlyArray<unknown>): Flow => {
  const [header, ...rest] = documents
  const commands = commandsIn(rest.length === 0 ? header : rest[0])
  if (commands.length === 0) throw new NoFlow("It has no commands.")
  const env = Object.entries(fieldsIn(fieldsIn(header)["env"])).flatMap(([name, value]) => {
    const text = scalarIn(value)
    return text === undefined ? [] : [[name, text] as const]
  })
  return { env: Object.fromEntries(env), commands }
}
