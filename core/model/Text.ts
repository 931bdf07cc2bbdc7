import { Schema, SchemaTransformation } from "effect"
import { plainLines } from "./plainText.ts"

// Names need no control characters, and some engines can't store NUL. The patterns are in the OpenAPI document, where they
// exclude lone surrogates as well.
const oneLine = /^[^\p{Cc}\p{Cs}]*$/u
const withLines = /^(?:[^\p{Cc}\p{Cs}]|[\t\r\n])*$/u

const onlyOf = (pattern: RegExp) => Schema.isPattern(pattern, { message: "must not contain control characters" })

const unicode = Schema.makeFilter(
  (value: string) => value.isWellFormed() || "must be well-formed Unicode (a lone surrogate was found)"
).abort()

/** The checks that hold for every text: well-formed Unicode without control characters. */
export const wellFormed = [unicode, onlyOf(oneLine)] as const

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
    onlyOf(lines ? withLines : oneLine)
  )

/** A name or short message: {@link text} of at most 1,024 characters. */
export const Name = text(1024)

/** A text that is looked for, such as a name. A text that no name can be is refused; the empty text is not found. */
export const Sought = Schema.String.check(atMost(1024), ...wellFormed)

const isKept = (value: string, max: number): boolean => value.length <= max && withLines.test(value)

/** The longest message that is cut and not refused: no request body is larger. */
const maxSentMessage = 1024 ** 2

/**
 * A message of a tool: {@link text} with lines, which any text that isn't empty becomes, as a lost run is worse than a cut
 * message. ANSI codes and control characters are removed, lone surrogates are replaced, and a longer text ends with `… (cut)`.
 */
export const message = (max: number) =>
  Schema.String.check(Schema.isNonEmpty({ message: "must not be empty" }), Schema.isMaxLength(maxSentMessage)).pipe(
    Schema.decodeTo(
      text(max, { lines: true }),
      SchemaTransformation.transform({
        decode: (value) => (isKept(value, max) ? value : plainLines(value, max) || "It has no readable text."),
        encode: (value) => value
      })
    )
  )

/** The form of an id: 1 to 128 visible ASCII characters. No resource has any other id. */
export const idPattern = /^[\x21-\x7e]{1,128}$/

/** Checks an id in a request. `message` is the error for a text that can't be an id. */
export const isId = (message: string) => Schema.isPattern(idPattern, { message })

/** An id as a service takes it. */
export const idOf = <S extends Schema.Codec<string>>(schema: S) => schema.check(isId("must be an id"))

/** A day, or a time of a day, as ISO 8601 writes it. */
export const timePattern = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
