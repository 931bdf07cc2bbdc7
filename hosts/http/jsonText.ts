/** Parses JSON text, within bounds that keep parsing short. */
import { Result } from "effect"

/** How deep a value may be nested, and how many fields its objects may have, all together. */
export interface JsonBounds {
  readonly depth: number
  readonly fields: number
}

/** Why a text is refused: it isn't JSON, or it exceeds a bound. */
export type JsonRefusal = "not JSON" | "too deep" | "too many fields"

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const openBracket = 0x5b
const openBrace = 0x7b
const closeBracket = 0x5d
const closeBrace = 0x7d

/** The index at which the string that begins at `start` ends: that of its closing quote, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/** The bound that a text exceeds, if it does. The text need not be JSON. */
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
 * The value of a JSON text within bounds. The bounds are checked before the text is parsed: the parser would block
 * everything else for tens of milliseconds on a megabyte of nested arrays or of field names that all differ.
 */
export const parseJson = (text: string, bounds: JsonBounds): Result.Result<unknown, JsonRefusal> => {
  const refusal = exceeded(text, bounds)
  if (refusal !== undefined) return Result.fail(refusal)
  return Result.try({ try: (): unknown => JSON.parse(text), catch: () => "not JSON" as const })
}
