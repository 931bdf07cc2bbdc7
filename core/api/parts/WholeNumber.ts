import { Schema } from "effect"

/** A whole number in decimal digits, as in a query. Excludes the empty string, which JavaScript converts to 0. */
export const WholeNumber = Schema.String.check(
  Schema.isPattern(/^[+-]?\d+$/, { message: "must be a whole number" })
).pipe(Schema.decodeTo(Schema.FiniteFromString))
