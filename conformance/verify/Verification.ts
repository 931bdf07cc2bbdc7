import { Schema } from "effect"
import { Verdict } from "../report/Report.ts"

/** A false claim of a report. */
export const Finding = Schema.Struct({
  /** The id of a check, or the part of the report. */
  about: Schema.String,
  /** For a person, in one sentence. */
  sentence: Schema.String
})
export type Finding = typeof Finding.Type

/** What came of judging a recorded run again. */
export const Verification = Schema.Struct({
  /** `confirmed`: its answers mean what the report says, by this suite. */
  verdict: Schema.Literals(["confirmed", "not confirmed"]),
  /** Of the report's url; `undefined` when it is no report. */
  url: Schema.optionalKey(Schema.String),
  /** How many checks were judged again. */
  checks: Schema.Int,
  findings: Schema.Array(Finding),
  /** The verdicts that follow from the recorded answers, by profile. */
  verdicts: Schema.Record(Schema.String, Verdict),
  /** The fingerprint of the key whose signature fits the report; `undefined` when it isn't signed. */
  signedBy: Schema.optionalKey(Schema.String),
  /** Notes for readers of the verdicts, each a sentence. */
  notes: Schema.Array(Schema.String)
})
export type Verification = typeof Verification.Type
