import { Schema } from "effect"

/** A check that didn't pass. */
export const Complaint = Schema.Struct({
  check: Schema.String,
  outcome: Schema.String,
  /** For a person. */
  said: Schema.String
})
export type Complaint = typeof Complaint.Type

/** How the whole suite ended against one mutant of one base: every check that didn't pass. */
export const Trial = Schema.Struct({
  base: Schema.String,
  mutant: Schema.String,
  complaints: Schema.Array(Complaint)
})
export type Trial = typeof Trial.Type
