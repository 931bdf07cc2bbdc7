import { Schema } from "effect"

/** A check that didn't pass. */
export const Complaint = Schema.Struct({
  check: Schema.String,
  outcome: Schema.String,
  /** Whether it failed in a step that another check tests. */
  inStep: Schema.Boolean,
  /** For a person. */
  said: Schema.String
})
export type Complaint = typeof Complaint.Type

/** How the whole suite ended against one mutant of one base: every check that didn't pass. */
export const Trial = Schema.Struct({
  base: Schema.String,
  mutant: Schema.String,
  complaints: Schema.Array(Complaint),
  /** Whether it answered a request otherwise than its base. Of drawn mutants. */
  differed: Schema.optionalKey(Schema.Boolean)
})
export type Trial = typeof Trial.Type
