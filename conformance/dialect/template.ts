import type { Json } from "../session/Exchange.ts"

/** The values for the places of a template, by name. */
export type Values = Readonly<Record<string, Json | undefined>>

const whole = /^\{(\w+)\}$/
const within = /\{(\w+)\}/g

const isList = (template: Json): template is ReadonlyArray<Json> => Array.isArray(template)

const fillText = (text: string, values: Values): Json | undefined => {
  const name = whole.exec(text)?.[1]
  if (name !== undefined) return values[name]
  const missing = [...text.matchAll(within)].some(([, name = ""]) => values[name] === undefined)
  return missing ? undefined : text.replaceAll(within, (_, name: string) => String(values[name]))
}

/** Fills an item of a list. A place for a list is replaced by the items of that list. */
const fillItem = (item: Json, values: Values): ReadonlyArray<Json> => {
  const filled = fill(item, values)
  if (filled === undefined) return []
  return typeof item === "string" && isList(filled) ? filled : [filled]
}

/** Fills a template. `undefined` when it is only a place whose value is missing. */
export const fill = (template: Json, values: Values): Json | undefined => {
  if (typeof template === "string") return fillText(template, values)
  if (typeof template !== "object" || template === null) return template
  return isList(template) ? template.flatMap((item) => fillItem(item, values)) : fillObject(template, values)
}

/** Fills an object, which stays an object. */
export const fillObject = (
  template: Readonly<Record<string, Json>>,
  values: Values
): Readonly<Record<string, Json>> => {
  const filled: Record<string, Json> = {}
  for (const [name, one] of Object.entries(template)) {
    const value = fill(one, values)
    if (value !== undefined) filled[name] = value
  }
  return filled
}

/** The names of the places in a template. */
export const placeholdersOf = (template: Json): ReadonlyArray<string> => {
  if (typeof template === "string") return [...template.matchAll(within)].map(([, name = ""]) => name)
  if (typeof template !== "object" || template === null) return []
  return Object.values(template).flatMap(placeholdersOf)
}
