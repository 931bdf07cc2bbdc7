/** Finds values in an answer whose structure is unknown. */
import type { Json } from "../session/Exchange.ts"

/** A member of an object or an item of a list, with its path. */
export interface Member {
  /** The name of the member, or the index of the item. */
  readonly name: string
  readonly value: Json
  /** The path, outermost name first. */
  readonly path: ReadonlyArray<string>
}

/** Every value within a JSON value, outer ones first, in the order of the text. */
export function* eachMember(json: Json | undefined): Generator<Member> {
  const open: Array<Member> = [{ name: "", value: json ?? null, path: [] }]
  for (let next = 0; next < open.length; next++) {
    const place = open[next]
    if (place === undefined) return
    yield place
    if (typeof place.value !== "object" || place.value === null) continue
    for (const [name, value] of Object.entries(place.value)) open.push({ name, value, path: [...place.path, name] })
  }
}

/** The outermost valid value under the first name that has one. Names are compared without case, `_` and `-`. */
export const named = <A extends Json>(
  json: Json | undefined,
  names: ReadonlyArray<string>,
  fits: (value: Json) => value is A
): A | undefined => {
  const all = [...eachMember(json)]
  for (const wanted of names) {
    for (const { name, value } of all) if (plain(name) === plain(wanted) && fits(value)) return value
  }
  return undefined
}

const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase()

/** Whether a text is an absolute http or https URL. */
export const isAbsoluteUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

export const isText = (value: Json): value is string => typeof value === "string" && value !== ""

/** A text, or a number converted to one, such as an id. */
export const asText = (value: Json | undefined): string | undefined =>
  typeof value === "number" ? String(value) : value !== undefined && isText(value) ? value : undefined

export const isObject = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)
