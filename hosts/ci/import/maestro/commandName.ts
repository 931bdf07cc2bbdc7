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
const subject = (fields: Fields): string | undefined => {
  const times = fields["times"] ?? fields["maxRetries"]
  return (
    selected(fields["selector"]) ??
    selected(fields["originalSelector"] ?? fields["elementSelector"]) ??
    conditionOf(fields["condition"]) ??
    textOf(fields["appId"]) ??
    textOf(fields["sourceDescription"]) ??
    textOf(fields["link"]) ??
    textOf(fields["path"]) ??
    textOf(fields["code"]) ??
    textOf(fields["direction"] ?? fields["scrollDirection"]) ??
    textOf(fields["point"]) ??
    textOf(fields["assertion"]) ??
    (numberOf(times) === undefined ? textOf(times) : `${numberOf(times)} times`)
  )
}

/** What a step is called: its label, or the kind of command and what it is about. Never what it typed. */
export const commandName = (kind: string, fields: Fields): string => {
  const label = textOf(fields["label"])
  if (label !== undefined) return label
  const command = kind.replace(/Command$/, "")
  if (isTyping(kind)) return `${command} ${hidden}`
  const of = subject(fields)
  return of === undefined ? command : `${command} ${of}`
}
