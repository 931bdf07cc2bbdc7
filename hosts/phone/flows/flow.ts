/** A Maestro flow: its commands, their names for people, and its YAML. */

/** A command of a Maestro flow, as its YAML has it: `- tapOn: {id: pay}` is `tapOn` with the value `{id: "pay"}`. */
export interface FlowCommand {
  readonly name: string
  /** What the YAML has after the name; `undefined` for a bare name. */
  readonly value: unknown
}

/** A flow: its commands, the variables that its file defines, and what runs before and after it. */
export interface Flow {
  readonly env: Readonly<Record<string, string>>
  readonly commands: ReadonlyArray<FlowCommand>
  readonly appId?: string | undefined
  readonly onStart?: ReadonlyArray<FlowCommand> | undefined
  readonly onComplete?: ReadonlyArray<FlowCommand> | undefined
}

/** How a step ended. `warned` is a failure of an optional step; `skipped` is one that this phone can’t do. */
export interface StepResult {
  readonly status: "passed" | "failed" | "warned" | "skipped"
  readonly reason?: string | undefined
  /** What a command read or computed in the app. */
  readonly value?: string | undefined
}

/** Why a text is not a flow. */
export class InvalidFlow extends Error {}

/** Limits of a flow: its characters, its commands, and how deep commands contain others. */
export const flowLimits = { characters: 200_000, commands: 1000, depth: 20 }

/**
 * The end of what was recorded: the last commands, and the number of those before. Each message has more than is new, because
 * a page may lose some, and because the last commands change while somebody types. `version` grows with every change.
 */
export interface Recorded extends RecordingMode {
  readonly version: number
  readonly before: number
  readonly commands: ReadonlyArray<FlowCommand>
}

/** Whether actions are recorded, and whether the next press picks an element for an assertion. */
export interface RecordingMode {
  readonly isRecording: boolean
  readonly isPicking: boolean
  /** Whether the actions are recorded for another frame of the same app, and not for a flow: see `mirror.ts`. */
  readonly isMirrored?: boolean
}

/** The most commands of such a message, and those that one action is recorded as. */
export const recordingLimits = { commands: 40, ofAction: 10 }

/** How long an element is waited for, in milliseconds: one that must be there, and one that may be. */
export interface Timeouts {
  readonly lookup: number
  readonly optional: number
}

/** Those of Maestro. */
export const timeoutsOfMaestro: Timeouts = { lookup: 17_000, optional: 7000 }

/** A flow of the documents of its YAML file: a header, which may be missing, and the commands. Throws {@link InvalidFlow}. */
export const flowIn = (documents: ReadonlyArray<unknown>): Flow => {
  const [header, ...rest] = documents
  const commands = commandsIn(rest.length === 0 ? header : rest[0])
  if (commands.length === 0) throw new InvalidFlow("It has no commands.")
  const { appId, env, onFlowComplete, onFlowStart } = fieldsIn(header)
  return {
    env: envIn(env),
    commands,
    appId: scalarIn(appId),
    onStart: onFlowStart === undefined ? undefined : commandsIn(onFlowStart),
    onComplete: onFlowComplete === undefined ? undefined : commandsIn(onFlowComplete)
  }
}

/** The variables of a field `env`. */
export const envIn = (value: unknown): Flow["env"] =>
  Object.fromEntries(
    Object.entries(fieldsIn(value)).flatMap(([name, of]) => {
      const text = scalarIn(of)
      return text === undefined ? [] : [[name, text]]
    })
  )

/** The commands of a list in a flow. Throws {@link InvalidFlow}. */
export const commandsIn = (list: unknown): ReadonlyArray<FlowCommand> => {
  if (!Array.isArray(list)) throw new InvalidFlow("It has no list of commands.")
  if (list.length > flowLimits.commands) throw new InvalidFlow(`It has more than ${flowLimits.commands} commands.`)
  return list.map((item: unknown, index) => commandIn(item, `Command ${index + 1}`))
}

const commandIn = (item: unknown, place: string): FlowCommand => {
  if (typeof item === "string") return { name: item, value: undefined }
  const [first, ...more] = Object.entries(fieldsIn(item))
  if (first === undefined || more.length > 0) throw new InvalidFlow(`${place} isn’t one command.`)
  return { name: first[0], value: first[1] ?? undefined }
}

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; none of anything else. */
export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A scalar of a YAML file as text. */
export const scalarIn = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined

/** What a step is called: its label, or its command and what that is about. */
export const stepName = (command: FlowCommand): string => {
  const label = scalarIn(fieldsIn(command.value)["label"])
  if (label !== undefined) return label
  const detail = detailOf(command)
  return detail === "" ? command.name : `${command.name} ${detail}`
}

const detailOf = ({ name, value }: FlowCommand): string => {
  const scalar = scalarIn(value)
  if (scalar !== undefined && /script/i.test(name)) return scalar.split("\n")[0] ?? ""
  if (scalar !== undefined) return /tapOn|pressOn|assertV|assertN|copyTextFrom/i.test(name) ? `“${scalar}”` : scalar
  const fields = fieldsIn(value)
  const { condition, direction, element, end, file, from, key, link, notVisible, start, text, times, visible } = fields
  if (element !== undefined) return selectorText(element)
  if (visible !== undefined) return `${selectorText(visible)} is visible`
  if (notVisible !== undefined) return `${selectorText(notVisible)} is not visible`
  if (start !== undefined) return `from ${scalarIn(start)} to ${scalarIn(end)}`
  if (direction !== undefined) return `${scalarIn(direction)} ${from === undefined ? "" : selectorText(from)}`.trim()
  if (name === "inputText") return scalarIn(text) ?? ""
  return selectorText(value) || scalarIn(file ?? condition ?? key ?? link ?? times ?? "") || ""
}

/** What a selector selects by, as text. */
export const selectorText = (selector: unknown): string => {
  const text = scalarIn(selector)
  if (text !== undefined) return `“${text}”`
  const { id, index, point, text: of, ...more } = fieldsIn(selector)
  const parts = [
    scalarIn(of) === undefined ? "" : `“${scalarIn(of)}”`,
    scalarIn(id) === undefined ? "" : `id ${scalarIn(id)}`,
    scalarIn(point) === undefined ? "" : `at ${scalarIn(point)}`,
    scalarIn(index) === undefined ? "" : `number ${scalarIn(index)}`,
    ...["above", "below", "leftOf", "rightOf", "childOf", "containsChild"].flatMap((name) =>
      more[name] === undefined ? [] : [`${name} ${selectorText(more[name])}`]
    )
  ]
  return parts.filter((part) => part !== "").join(", ")
}

/** Prints a flow as Maestro reads it. Maestro needs the id of an app: it is a variable where that is unknown. */
export const printFlow = (commands: ReadonlyArray<FlowCommand>, appId = "${APP_ID}"): string =>
  `appId: ${scalar(appId)}\n---\n${commands.map(printCommand).join("")}`

/** Prints one command as an item of a list in YAML. */
export const printCommand = ({ name, value }: FlowCommand): string =>
  value === undefined ? `- ${scalar(name)}\n` : `- ${scalar(name)}:${lines(value, "    ")}\n`

const lines = (value: unknown, indent: string): string => {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []"
    return value
      .map(
        (item: unknown) =>
          `\n${indent}-${isNested(item) ? lines(item, `${indent}  `).replace(/^\n\s*/, " ") : ` ${scalar(item)}`}`
      )
      .join("")
  }
  if (!isNested(value)) return ` ${scalar(value)}`
  const entries = Object.entries(fieldsIn(value)).filter(([, one]) => one !== undefined)
  if (entries.length === 0) return " {}"
  return entries.map(([name, one]) => `\n${indent}${scalar(name)}:${lines(one, `${indent}  `)}`).join("")
}

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null

/** Every string of JSON is one of YAML, but for these characters. */
const scalar = (value: unknown): string =>
  typeof value === "string" && plain.test(value) && !notText.test(value) && !value.endsWith(" ")
    ? value
    : (JSON.stringify(value) ?? "null").replaceAll(
        /[\u0085\u2028\u2029\ufeff\u007f-\u009f]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
      )

/** What YAML reads as text without quotation marks, also in flow style, and as nothing but text. */
const plain = /^[A-Za-z][\w ./-]*$/

const notText = /^(?:true|false|yes|no|on|off|null|y|n)$/i
