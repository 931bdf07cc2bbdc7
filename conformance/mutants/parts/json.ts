/** Reads and changes JSON answers. */
import { isList, isObject } from "../../dialect/search.ts"
import type { Json } from "../../session/Exchange.ts"
import type { Fields } from "./Call.ts"

/** The members of a JSON object; none of anything else. */
export const members = (json: Json | undefined): Fields => (isObject(json) ? json : {})

/** The items of a JSON list; none of anything else. */
export const items = (json: Json | undefined): ReadonlyArray<Json> => (isList(json) ? json : [])

/** A value without the members of these names, wherever they lie. */
export const stripped = (json: Json | undefined, names: ReadonlyArray<string>): Json => {
  if (isList(json)) return json.map((item) => stripped(item, names))
  if (!isObject(json)) return json ?? null
  const kept = Object.entries(json).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, stripped(value, names)]))
}

/** Appends to a text. Any other value stays unchanged. */
export const followedBy =
  (more: string) =>
  (value: Json | undefined): Json | undefined =>
    typeof value === "string" ? value + more : value

/** Whether a text fits a pattern of SQL's LIKE. */
export const fitsPattern = (text: string, pattern: string): boolean =>
  new RegExp(`^${RegExp.escape(pattern).replaceAll("_", ".").replaceAll("%", ".*")}$`, "s").test(text)
