import { fieldsIn, scalarIn, type FlowCommand } from "./FlowCommand.ts"

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

const detailOf = ({ name, value }: FlowCommand): string => {
  const scalar = scalarIn(value)
  if (scalar !== undefined) return /tapOn|pressOn|assert|copyTextFrom/i.test(name) ? `“${scalar}”` : scalar
  const fields = fieldsIn(value)
  const { condition, direction, element, end, file, from, key, notVisible, start, text, times, visible } = fields
  if (element !== undefined) return selectorText(element)
  if (visible !== undefined) return `${selectorText(visible)} is visible`
  if (notVisible !== undefined) return `${selectorText(notVisible)} is not visible`
  if (start !== undefined) return `from ${scalarIn(start)} to ${scalarIn(end)}`
  if (direction !== undefined) return `${scalarIn(direction)} ${from === undefined ? "" : selectorText(from)}`.trim()
  if (name === "inputText") return scalarIn(text) ?? ""
  return selectorText(value) || scalarIn(file ?? condition ?? key ?? times ?? "") || ""
}

/** What a step is called: its label, or its command and what that is about. */
export const stepName = (command: FlowCommand): string => {
  const label = scalarIn(fieldsIn(command.value)["label"])
  if (label !== undefined) return label
  const detail = detailOf(command)
  return detail === "" ? command.name : `${command.name} ${detail}`
}
