import { hidden } from "../mask.ts"
import { fieldsOf, numberOf, textOf, type Fields } from "../json.ts"
import { isTyping } from "./typed.ts"

/** What a selector selects by. */
const selected = (selector: unknown): string | undefined => {
  const { idRegex, textRegex } = fieldsOf(selector)
  const text = textOf(textRegex)
  const id = textOf(idRegex)
  return text === undefined ? (id === undefined ? undefined : `id ${JSON.stringify(id)}`) : JSON.stringify(text)
}

const conditionOf = (condition: unknown): string | undefined => {
  const { notVisible, platform, scriptCondition, visible } = fieldsOf(condition)
  const seen = selected(visible)
  const unseen = selected(notVisible)
  if (seen !== undefined) return `${seen} is visible`
  if (unseen !== undefined) return `${unseen} is not visible`
  return textOf(scriptCondition) ?? textOf(platform)
}

/** The first description in a command. */
const subject = (told: Fields): string | undefined => {
  const times = told["times"] ?? told["maxRetries"]
  return (
    selected(told["selector"]) ??
    selected(told["originalSelector"] ?? told["elementSelector"]) ??
    conditionOf(told["condition"]) ??
    textOf(told["appId"]) ??
    textOf(told["sourceDescription"]) ??
    textOf(told["link"]) ??
    textOf(told["path"]) ??
    textOf(told["code"]) ??
    textOf(told["direction"] ?? told["scrollDirection"]) ??
    textOf(told["point"]) ??
    textOf(told["assertion"]) ??
    (numberOf(times) === undefined ? textOf(times) : `${numberOf(times)} times`)
  )
}

/** What a step is called: its label, or the kind of command and what it is about. Never what it typed. */
export const commandName = (kind: string, told: Fields): string => {
  const label = textOf(told["label"])
  if (label !== undefined) return label
  const command = kind.replace(/Command$/, "")
  if (isTyping(kind)) return `${command} ${hidden}`
  const of = subject(told)
  return of === undefined ? command : `${command} ${of}`
}
