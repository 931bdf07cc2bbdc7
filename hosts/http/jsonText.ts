/** JSON text as a value, where making that value can't take long. */
import { Result } from "effect"

/** How deep a value may be nested, and how many fields its objects may have, all together. */
export interface JsonBounds {
  readonly depth: number
  readonly fields: number
}

/** Why a text is no value: it isn't JSON, or it is more than the bounds let be. */
export type JsonRefusal = "not JSON" | "too deep" | "too many fields"

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const openBracket = 0x5b
const openBrace = 0x7b
const closeBracket = 0x5d
const closeBrace = 0x7d

/** Where the string that begins at `start` ends: at its closing quote, or behind the text. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/** Which bound a text exceeds, whether or not it is JSON otherwise. */
const exceeded = (text: string, bounds: JsonBounds): JsonRefusal | undefined => {
  let depth = 0
  let fields = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case colon:
        if (++fields > bounds.fields) return "too many fields"
        break
      case openBracket:
      case openBrace:
        if (++depth > bounds.depth) return "too deep"
        break
      case closeBracket:
      case closeBrace:
        depth--
    }
  }
  return undefined
}

/**
 * The value of a JSON text within bounds. They are looked at before the value is made: a megabyte of nested arrays or of
 * names that all differ would take the parser tens of milliseconds, in which nothing else happens.
 */
export const parseJson = (text: string, bounds: JsonBounds): Result.Result<unknown, JsonRefusal> => {
  const refusal = exceeded(text, bounds)
  if (refusal !== undefined) return Result.fail(refusal)
  return Result.try({ try: (): unknown => JSON.parse(text), catch: () => "not JSON" as const })
}
