import { fieldsOf, numberOf, textOf, type Fields } from "../json.ts"
import { hasOnlyVariables, isTyping } from "./typed.ts"

/** A command as the YAML of a flow has it: its name, or its name and what it is about. */
export type FlowCommand = string | Fields

/** The commands in a flow that Maestro calls otherwise in what it writes. The others are called the same, but for an ending. */
const names: Readonly<Record<string, string>> = {
  tapOnElement: "tapOn",
  tapOnPoint: "tapOn",
  tapOnPointV2: "tapOn",
  backPress: "back",
  copyText: "copyTextFrom"
}

/** Commands that are made of others, which are steps themselves. */
const containers = new Set(["runFlow", "repeat", "retry"])

/** The fields of an object that aren't `undefined` or `null`. */
const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** The selector of a flow. */
const selectorOf = (selector: unknown): Fields => {
  const { above, below, childOf, containsChild, idRegex, leftOf, optional, rightOf, size, textRegex, ...more } =
    fieldsOf(selector)
  const around = { above, below, childOf, containsChild, leftOf, rightOf }
  return given({
    text: textRegex,
    id: idRegex,
    ...more,
    ...fieldsOf(size),
    ...Object.fromEntries(Object.entries(given(around)).map(([name, one]) => [name, selectorOf(one)])),
    optional: optional === true ? true : undefined
  })
}

const pointOf = (relative: unknown, absolute: unknown): string | undefined => {
  const { x, y } = fieldsOf(absolute)
  return textOf(relative) ?? (numberOf(x) === undefined ? undefined : `${numberOf(x)},${numberOf(y)}`)
}

const tapOf = ({ longPress, point, relativePoint, repeat, selector, x, y }: Fields): readonly [string, Fields] => [
  longPress === true ? "longPressOn" : "tapOn",
  given({
    ...selectorOf(selector),
    point: pointOf(relativePoint ?? point, { x, y }),
    repeat: fieldsOf(repeat)["repeat"],
    delay: fieldsOf(repeat)["delay"]
  })
]

const assertOf = ({ condition, timeout }: Fields): readonly [string, unknown] => {
  const { notVisible, scriptCondition, visible } = fieldsOf(condition)
  if (scriptCondition !== undefined && scriptCondition !== null) return ["assertTrue", scriptCondition]
  const [name, of] = visible === undefined || visible === null ? ["notVisible", notVisible] : ["visible", visible]
  return timeout === undefined || timeout === null
    ? [name === "visible" ? "assertVisible" : "assertNotVisible", selectorOf(of)]
    : ["extendedWaitUntil", { [name]: selectorOf(of), timeout }]
}

const swipeOf = ({ direction, duration, elementSelector, endPoint, endRelative, startPoint, startRelative }: Fields) =>
  given({
    direction,
    from: elementSelector === undefined || elementSelector === null ? undefined : selectorOf(elementSelector),
    start: pointOf(startRelative, startPoint),
    end: pointOf(endRelative, endPoint),
    duration
  })

const detailOf = (kind: string, fields: Fields): readonly [string, unknown] => {
  const name = names[kind] ?? kind
  switch (name) {
    case "tapOn":
      return tapOf(fields)
    case "assertCondition":
      return assertOf(fields)
    case "inputText":
      return [name, fields["text"]]
    case "eraseText":
      return [name, fields["charactersToErase"]]
    case "pressKey":
      // `ENTER` is the name of a constant, `Enter` that of the key.
      return [name, textOf(fields["code"])?.toLowerCase().replaceAll("_", " ")]
    case "swipe":
      return [name, swipeOf(fields)]
    case "scrollUntilVisible": {
      const { direction, selector, timeout, visibilityPercentage } = fields
      return [name, given({ element: selectorOf(selector), direction, timeout, visibilityPercentage })]
    }
    case "waitForAnimationToEnd":
      return [name, given({ timeout: fields["timeout"] })]
    default:
      return [name, undefined]
  }
}

/** The command of a step that may fail. */
export const optional = (command: FlowCommand): FlowCommand => {
  if (typeof command === "string") return { [command]: { optional: true } }
  return Object.fromEntries(
    Object.entries(command).map(([name, value]) => [
      name,
      { ...(typeof value === "object" ? value : { text: value }), optional: true }
    ])
  )
}

/**
 * A step as a command of a flow, by which it can be played again; `undefined` for one that is made of others. `evaluated`
 * is the command with the values of its variables. What it types keeps its variables: their values may be secrets.
 */
export const flowCommand = (kind: string, reported: Fields, evaluated: Fields): FlowCommand | undefined => {
  const command = kind.replace(/Command$/, "")
  if (containers.has(command)) return undefined
  const isSecret = isTyping(kind) && hasOnlyVariables(reported["text"])
  const [name, value] = detailOf(command, isSecret ? reported : { ...reported, ...evaluated })
  const isBare = value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
  const made = isBare ? name : { [name]: value }
  return reported["optional"] === true ? optional(made) : made
}
