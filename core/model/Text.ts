import { Schema, SchemaTransformation } from "effect"
import { plainLines } from "./plainText.ts"

// Names need no control characters, and some engines can't store NUL.
const controlCharacter = /\p{Cc}/u
const controlCharacterOtherThanLines = /[^\P{Cc}\t\r\n]/u

const without = (characters: RegExp) =>
  Schema.makeFilter((value: string) => !characters.test(value) || "must not contain control characters")

const unicode = Schema.makeFilter(
  (value: string) => value.isWellFormed() || "must be well-formed Unicode (a lone surrogate was found)"
)

/** The checks that hold for every text: well-formed Unicode without control characters. */
export const wellFormed = [unicode, without(controlCharacter)] as const

/** At most `max` characters. The other checks don't run on a text that is longer. */
export const atMost = (max: number) => Schema.isMaxLength(max, { message: `must be at most ${max} characters` }).abort()

/**
 * Well-formed Unicode text of 1 to `max` characters (UTF-16 code units) without control characters; `lines` allows line
 * breaks and tabs.
 */
export const text = (max: number, { lines }: { readonly lines: boolean } = { lines: false }) =>
  Schema.String.check(
    Schema.isNonEmpty({ message: "must not be empty" }),
    atMost(max),
    unicode,
    without(lines ? controlCharacterOtherThanLines : controlCharacter)
  )

/** A name or short message: {@link text} of at most 1,024 characters. */
export const Name = text(1024)

const isKept = (value: string, max: number): boolean =>
  value.length <= max && value.isWellFormed() && !controlCharacterOtherThanLines.test(value)

/**
 * A message of a tool: {@link text} with lines, which any text that isn't empty becomes, as a lost run is worse than a cut
 * message. ANSI codes and control characters are removed, lone surrogates are replaced, and a longer text ends with `… (cut)`.
 */
export const message = (max: number) =>
  Schema.String.pipe(
    Schema.decodeTo(
      text(max, { lines: true }),
      SchemaTransformation.transform({
        decode: (value) =>
          value === "" || isKept(value, max) ? value : plainLines(value, max) || "It has no readable text.",
        encode: (value) => value
      })
    )
  )

/** The form of an id: 1 to 128 visible ASCII characters. No resource has any other id. */
export const idPattern = /^[\x21-\x7e]{1,128}$/

/** Checks an id in a request. `message` is the error for a text that can't be an id. */
export const isId = (message: string) => Schema.isPattern(idPattern, { message })
