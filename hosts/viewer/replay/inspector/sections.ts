import { make } from "../../ui/dom.ts"
import type { Section } from "./inspectorMessages.ts"

/** A section that is a list, and not named values. */
const listed = "Component stack"

const listOf = ({ rows }: Section): HTMLElement => {
  const list = make("ol", "stack")
  list.append(...rows.map(([, name]) => make("li", "", name)))
  return list
}

const valuesOf = ({ rows }: Section): HTMLElement => {
  const list = make("dl")
  for (const [name, value] of rows) list.append(make("dt", "", name), make("dd", "", value))
  return list
}

/** A section that can be folded. All of its text comes from the app. */
export const sectionOf = (section: Section): HTMLElement => {
  const element = make("details")
  element.open = true
  element.append(make("summary", "", section.title), section.title === listed ? listOf(section) : valuesOf(section))
  return element
}
