import { Schema } from "effect"
import { Outcome, Verdict } from "../report/Report.ts"

const changed = <S extends Schema.Top>(schema: S) => ({
  before: Schema.optionalKey(schema),
  after: Schema.optionalKey(schema)
})

/** What changed from one report to another. A side that is missing had nothing of the kind. */
export const Difference = Schema.Struct({
  /** What the runs were made of and by: `target`, `suite version`, `suite digest`, `interface digest`. */
  ground: Schema.Array(Schema.Struct({ what: Schema.String, ...changed(Schema.String) })),
  verdicts: Schema.Array(Schema.Struct({ profile: Schema.String, ...changed(Verdict) })),
  checks: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      ...changed(Outcome),
      /** What came, or why, where the outcome is other than passed. */
      reason: Schema.optionalKey(Schema.String)
    })
  ),
  choices: Schema.Array(Schema.Struct({ silence: Schema.String, ...changed(Schema.Array(Schema.Json)) }))
})
export type Difference = typeof Difference.Type
