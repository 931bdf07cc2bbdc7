import type { Json } from "../session/Exchange.ts"

/** What the places of a template are filled with, by name. */
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

/** An item of a list: one that is a place for a list becomes the items of that. */
const fillItem = (item: Json, values: Values): ReadonlyArray<Json> => {
  const filled = fill(item, values)
  if (filled === undefined) return []
  return typeof item === "string" && isList(filled) ? filled : [filled]
}

/** What a template makes of these values; `undefined` when it is nothing but a place whose value is missing. */
export const fill = (template: Json, values: Values): Json | undefined => {
  if (typeof template === "string") return fillText(template, values)
  if (typeof template !== "object" || template === null) return template
  return isList(template) ? template.flatMap((item) => fillItem(item, values)) : fillObject(template, values)
}

/** The same for an object, which stays one. */
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
export const placesOf = (template: Json): ReadonlyArray<string> => {
  if (typeof template === "string") return [...template.matchAll(within)].map(([, name = ""]) => name)
  if (typeof template !== "object" || template === null) return []
  return Object.values(template).flatMap(placesOf)
}
