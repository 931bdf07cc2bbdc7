import { Schema } from "effect"

// A control character has no place in a name, and NUL can't be stored by every engine.
const hasControlCharacter = /\p{Cc}/u

/** Well-formed Unicode text of 1 to `max` characters (UTF-16 code units) without control characters. */
export const text = (max: number) =>
  Schema.String.check(
    Schema.isNonEmpty({ message: "must not be empty" }),
    Schema.isMaxLength(max, { message: `must be at most ${max} characters` }),
    Schema.makeFilter(
      (value: string) => value.isWellFormed() || "must be well-formed Unicode (a lone surrogate was found)"
    ),
    Schema.makeFilter((value: string) => !hasControlCharacter.test(value) || "must not contain control characters")
  )

/** A name or short message: {@link text} of at most 1,024 characters. */
export const Name = text(1024)
