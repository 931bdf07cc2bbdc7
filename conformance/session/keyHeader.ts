import { Redacted } from "effect"
import type { Bindings } from "../config/Config.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** The forms in which a binding may write a key. */
export const keySpellings = (key: Redacted.Redacted): Readonly<Record<string, string>> => ({
  "{key}": Redacted.value(key),
  "{key:base64}": base64(Redacted.value(key)),
  "{basic}": base64(`${Redacted.value(key)}:`)
})

export const keyHeader = ({ header, value }: Bindings["key"], key: Redacted.Redacted): Record<string, string> => {
  const spellings = keySpellings(key)
  return { [header.toLowerCase()]: value.replaceAll(/\{[\w:]+\}/g, (place) => spellings[place] ?? place) }
}
