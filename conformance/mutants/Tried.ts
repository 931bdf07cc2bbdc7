import { Schema } from "effect"

/** A check that didn't pass. */
export const Complaint = Schema.Struct({
  check: Schema.String,
  outcome: Schema.String,
  /** For a person. */
  said: Schema.String
})
export type Complaint = typeof Complaint.Type

/** How the whole suite ended against one mutant: every check that didn't pass. */
export const Tried = Schema.Struct({ mutant: Schema.String, complaints: Schema.Array(Complaint) })
export type Tried = typeof Tried.Type
